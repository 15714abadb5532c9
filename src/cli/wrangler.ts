import { spawnSync } from "node:child_process"

export const environment = { ...process.env, WRANGLER_SEND_METRICS: "false" }

/** Runs wrangler and gives back what it printed; its own message ends the program when it fails. */
export function wrangler(args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync("wrangler", args, {
    encoding: "utf8",
    env: { ...environment, ...env },
    shell: process.platform === "win32",
  })
  if (status === 0) return stdout
  console.error(stdout, stderr)
  process.exit(1)
}
