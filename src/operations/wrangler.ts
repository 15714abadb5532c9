import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { configFile, describeInstallations, findInstallations } from "./installation.ts"
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

/** For what takes long: wrangler's own output is shown, and each ten seconds a line says that it goes on. */
export async function wranglerShown(args: readonly string[]): Promise<void> {
  const startedAt = Date.now()
  const timer = setInterval(() => {
    console.log(`… ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  }, 10_000)
  const shown = spawn("wrangler", args, {
    env: environment,
    stdio: "inherit",
    shell: process.platform === "win32",
  })
  const [status] = await once(shown, "exit")
  clearInterval(timer)
  if (status !== 0) process.exit(1)
}

/** The installation of `--remote`, `--remote=NAME` or `--remote=URL`, or null for the local one. */
export function remoteName(): string | null {
  const remote = process.argv.map((word) => REMOTE.exec(word)).find((match) => match !== null)
  if (!remote) return null
  const [name, ...others] = findInstallations(remote[1])
  if (name && others.length === 0 && existsSync(configFile(name))) return name
  const wanted = remote[1] ? ` '${remote[1]}'` : ""
  console.error(
    others.length > 0
      ? `Which installation? Use --remote=URL with one of: ${describeInstallations(findInstallations())}.`
      : `This machine has no deployed installation${wanted}. Run: npm run deploy -- URL --adopt`,
  )
  process.exit(1)
}

/** wrangler's arguments for the database: the local one, or the one of `--remote`. */
export function databaseArgs(): string[] {
  const name = remoteName()
  return name === null ? ["DB", "--local"] : ["DB", "--remote", ...configArgs(name)]
}

export const configArgs = (name: string) => ["--config", configFile(name)]

export function execute<Row>(sql: string): Row[] {
  const printed = wrangler(["d1", "execute", ...databaseArgs(), "--json", "--command", sql])
  return (JSON.parse(printed) as { results: Row[] }[])[0]?.results ?? []
}
