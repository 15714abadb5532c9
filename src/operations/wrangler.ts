import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { inline } from "../worker/platform/db/statement.ts"
import { endWithUsage, REMOTE, readValue } from "./arguments.ts"
import {
  boundNumbers,
  configFile,
  databaseBinding,
  describeInstallations,
  findInstallations,
} from "./installation.ts"
import { LOCAL_CONFIG, LOCAL_STATE, localConfig } from "./local/local-databases.ts"

export const environment = { ...process.env, WRANGLER_SEND_METRICS: "false" }

const TRIES = 10
const BETWEEN_TRIES_MS = 300
/** A local server was writing just then. */
const IS_LOCKED = /SQLITE_BUSY|database is locked/
const HAS_NO_TABLES = /no such table/
const MAKE_TABLES = `The database has no tables yet. Locally, npm run dev makes them. The deployed Worker makes them
at its first call: open its URL, or run npm run deploy.`

/**
 * Runs wrangler and returns its output. If wrangler fails, the program ends with its message, behind
 * that of the caller.
 */
export function wrangler(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  failure = "",
): string {
  for (let tries = 1; ; tries++) {
    const { status, stdout, stderr } = spawnSync("wrangler", args, {
      encoding: "utf8",
      env: { ...environment, ...env },
      maxBuffer: 1024 ** 3,
      shell: process.platform === "win32",
    })
    if (status === 0) return stdout
    if (tries === TRIES || !IS_LOCKED.test(stdout + stderr)) {
      if (failure) console.error(failure)
      if (HAS_NO_TABLES.test(stdout + stderr)) console.error(MAKE_TABLES)
      else console.error(stdout, stderr)
      process.exit(1)
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_TRIES_MS)
  }
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

/** wrangler's arguments for a database: a local one, or one of `--remote`. */
export function databaseArgs(number = 1): string[] {
  const [name, binding] = [remoteName(), databaseBinding(number)]
  if (name !== null) return [binding, "--remote", ...configArgs(name)]
  const several = databaseNumbers().length > 1
  return [binding, "--local", ...(several ? ["--config", LOCAL_CONFIG] : [])]
}

export const configArgs = (name: string) => ["--config", configFile(name)]

/** The numbers of the databases, of which most installations have one. */
export function databaseNumbers(): number[] {
  const name = remoteName()
  return boundNumbers(name === null ? localConfig(LOCAL_STATE) : configFile(name))
}

/** The number of `--database`, if it is one of the installation. */
export function chosenDatabase(usage: string): number | undefined {
  const given = readValue(DATABASE)
  if (given === undefined) return undefined
  const numbers = databaseNumbers()
  const number = numbers.find((one) => String(one) === given)
  return (
    number ?? endWithUsage(usage, `There is no database '${given}': it has ${numbers.join(", ")}`)
  )
}

/** The option that chooses one of several databases. */
export const DATABASE = "--database"

/** Goes before what a command says of a database, if there are several. */
export const databaseLabel = (number: number) =>
  databaseNumbers().length > 1 ? `Database ${number}: ` : ""

interface Executed<Row> {
  results: Row[]
  meta?: { size_after?: number }
}

export function executeWithSize<Row>(sql: string, number = 1): Executed<Row> {
  const args = ["d1", "execute", ...databaseArgs(number), "--json", "--command", sql]
  const printed = wrangler(
    args,
    {},
    databaseNumbers().length > 1 ? `Database ${number} does not answer.` : "",
  )
  return (JSON.parse(printed) as Executed<Row>[])[0] ?? { results: [] }
}

export const execute = <Row>(sql: string, number = 1): Row[] =>
  executeWithSize<Row>(sql, number).results ?? []

/** The rows of all databases, with the number of each if there are several. */
export function executeInEach<Row extends object>(sql: string): Row[] {
  const numbers = databaseNumbers()
  if (numbers.length === 1) return execute<Row>(sql)
  return numbers.flatMap((database) =>
    execute<Row>(sql, database).map((row) => ({ database, ...row })),
  )
}

/** The database of a team. */
export function databaseOf(teamId: string): number {
  if (databaseNumbers().length === 1) return 1
  const [row] = execute<{ database: number }>(
    inline({ sql: "select database from team_databases where team_id = ?", values: [teamId] }),
  )
  return row?.database ?? 1
}
