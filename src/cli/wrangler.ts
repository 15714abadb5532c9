import { spawnSync } from "node:child_process"

export const environment = { ...process.env, WRANGLER_SEND_METRICS: "false" }

/** Runs wrangler and returns its output. If it fails, its message ends the program. */
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

/**
 * Runs a statement on the local database; with `--remote` on the deployed installation's, and with
 * `--remote=NAME` on that of the installation with this name.
 */
export function execute<Row>(sql: string): Row[] {
  const remote = process.argv.flatMap((word) => /^--remote(?:=([a-z0-9-]+))?$/.exec(word) ?? [])
  const where =
    remote.length > 0
      ? ["--remote", "--config", `wrangler.${remote[1] ?? "edgepost"}.toml`]
      : ["--local"]
  const printed = wrangler(["d1", "execute", "DB", ...where, "--json", "--command", sql])
  return (JSON.parse(printed) as { results: Row[] }[])[0]?.results ?? []
}
