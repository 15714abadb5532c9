import { spawnSync } from "node:child_process"
import { REMOTE } from "./words.ts"

export const environment = { ...process.env, WRANGLER_SEND_METRICS: "false" }

/** Runs wrangler and returns its output. If wrangler fails, the program ends with its message. */
export function wrangler(args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync("wrangler", args, {
    encoding: "utf8",
    env: { ...environment, ...env },
    maxBuffer: 1024 ** 3,
    shell: process.platform === "win32",
  })
  if (status === 0) return stdout
  console.error(stdout, stderr)
  process.exit(1)
}

/** The installation of `--remote` or `--remote=NAME`, or null for the local one. */
export function remoteName(): string | null {
  const remote = process.argv.flatMap((word) => REMOTE.exec(word) ?? [])
  return remote.length > 0 ? (remote[1] ?? "edgepost") : null
}

/** wrangler's arguments for the database: the local one, or the one of `--remote`. */
export function databaseArgs(): string[] {
  const name = remoteName()
  return name === null ? ["DB", "--local"] : ["DB", "--remote", ...configArgs(name)]
}

export const configArgs = (name: string) => ["--config", `wrangler.${name}.toml`]

export function execute<Row>(sql: string): Row[] {
  const printed = wrangler(["d1", "execute", ...databaseArgs(), "--json", "--command", sql])
  return (JSON.parse(printed) as { results: Row[] }[])[0]?.results ?? []
}
