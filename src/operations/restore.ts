import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { askRepeat, SELECT_REPEAT } from "../worker/removals/repeat.sql.ts"
import { COUNT_HELD_RUNS, holdDueRuns } from "../worker/sequences/runs/restored.sql.ts"
import { TAKE_BACK_MOVES } from "../worker/teams/moving/request.sql.ts"
import { COUNT_BY_KEY } from "../worker/webhooks/reseal.sql.ts"
import { endWithUsage, REMOTE, readWords } from "./arguments.ts"
import { backedUpNumbers, partFile, readNote } from "./backups/backup-parts.ts"
import { NOT_BACKED_UP } from "./backups/not-backed-up.ts"
import { compareTeams } from "./backups/restored-teams.ts"
import { confirmByName } from "./confirm.ts"
import { databaseBinding } from "./installation.ts"
import { resizeStatements } from "./long-statements.ts"
import {
  chosenDatabase,
  configArgs,
  DATABASE,
  databaseArgs,
  databaseLabel,
  databaseNumbers,
  execute,
  executeInEach,
  remoteName,
  wrangler,
  wranglerShown,
} from "./wrangler.ts"

const USAGE = `npm run restore -- FILE.sql                 loads a backup into a database without teams
npm run restore -- BOOKMARK|TIME --remote   takes the deployed database back in time: 30 days at most
npm run restore -- status                   what was erased and revoked again since the last restore
--remote=URL chooses one of several installations. TIME is such as 2026-11-22T10:00:00Z. Of several databases,
a file or a TIME restores all, and a BOOKMARK the one of --database NUMBER, which a TIME may have, too.`

const [from = ""] = readWords(USAGE, 1, REMOTE, [DATABASE])
const name = remoteName()
const isFile = from.endsWith(".sql")
const isTime = from.includes("T")
const isUsable = isFile ? existsSync(from) : from && (name !== null || from === "status")
if (!isUsable) endWithUsage(USAGE)
const chosen = chosenDatabase(USAGE)
if (from === "status") for (const database of databaseNumbers()) showStatus(database)
else await restore()

async function restore() {
  if (isFile) {
    await load(from)
    showKeys()
  } else await travel(from, name as string)
  execute(TAKE_BACK_MOVES)
  if (chosen !== undefined) {
    await compareTeams({
      numbers: databaseNumbers(),
      restored: chosen,
      query: async (number, sql) => execute(sql, number),
      report: console.log,
      now: Date.now,
    })
  }
  console.log(`The Worker now revokes, removes and erases again what has been
since, within minutes: npm run restore -- status${name === null ? "" : ` --remote=${name}`}`)
}

/** What a deployed Worker must not find at its next minute comes first. */
function settle(database: number) {
  const now = Date.now()
  // The backup, or the time, may be of an earlier version.
  if (tablesOf(database).includes("sequence_runs")) execute(holdDueRuns(now), database)
  wrangler(["d1", "migrations", "apply", ...databaseArgs(database)], { CI: "1" })
  const letsIn = isFile ? "" : NOT_BACKED_UP.map((table) => `delete from ${table};`).join("")
  execute(`${letsIn}${askRepeat(now, restoredTo())}`, database)
  report(database)
}

function showKeys() {
  const keys = new Set(executeInEach<{ key: string }>(COUNT_BY_KEY).map(({ key }) => key))
  if (keys.size === 0) return
  console.log(`Secrets of webhooks and forms are sealed with the key ${[...keys].join(", ")}. The installation needs the keys that
it had at the backup: docs/operations.md, Keys.`)
}

/** Zero if it is unknown: then all that was ever removed is removed again. */
function restoredTo(): number {
  if (!isFile) return isTime ? Date.parse(from) || 0 : 0
  return Date.parse(readNote(from)?.at ?? "") || 0
}

/** Replaces the tables of a new installation, which has no teams yet. */
async function load(file: string): Promise<void> {
  if (chosen !== undefined) endWithUsage(USAGE, "A file restores all its databases")
  const backedUp = backedUpNumbers(file)
  const missing = backedUp.find((number) => !existsSync(partFile(file, number)))
  if (missing) endWithUsage(USAGE, `${partFile(file, missing)} is missing`)
  const known = databaseNumbers()
  if (backedUp.some((number) => !known.includes(number))) {
    console.error(
      `The backup has ${backedUp.length} databases, and the installation ${known.length}. Create the others first: ${name === null ? "npm run dev" : "npm run deploy"} -- --databases ${backedUp.length}`,
    )
    process.exit(1)
  }
  const tables = new Map(known.map((number) => [number, emptyTables(number)]))
  for (const number of backedUp) {
    await loadOne(file, number, tables.get(number) ?? [])
    settle(number)
  }
}

/** The tables of a database without teams. */
function emptyTables(number: number): string[] {
  const tables = tablesOf(number)
  const [row] = tables.includes("teams")
    ? execute<{ teams: number }>("select count(*) as teams from teams", number)
    : []
  if (row && row.teams > 0) {
    console.error(
      "The database has teams. Restore into a new installation: npm run deploy -- URL NAME, then this command with --remote=NAME.",
    )
    process.exit(1)
  }
  return tables
}

const tablesOf = (number: number) =>
  execute<{ name: string }>(
    "select name from sqlite_master where type = 'table' and name not glob 'sqlite_*' and name not glob '_cf_*'",
    number,
  ).map((table) => table.name)

async function loadOne(file: string, number: number, tables: readonly string[]) {
  const part = partFile(file, number)
  if (tables.length > 0) execute(tables.map((table) => `drop table "${table}"`).join(";\n"), number)
  const megabytes = Math.ceil(statSync(part).size / 1_000_000)
  console.log(`${databaseLabel(number)}Loading ${part}, ${megabytes} MB …`)
  const directory = mkdtempSync(join(tmpdir(), "edgepost-"))
  for (const loaded of await resizeStatements(part, join(directory, "restore.sql"))) {
    await wranglerShown(["d1", "execute", ...databaseArgs(number), "--yes", "--file", loaded])
  }
  rmSync(directory, { recursive: true })
}

async function travel(moment: string, installation: string): Promise<void> {
  const databases = chosen === undefined ? databaseNumbers() : [chosen]
  if (!isTime && databases.length > 1) {
    endWithUsage(USAGE, `A bookmark is of one database: add ${DATABASE} NUMBER`)
  }
  const which = chosen === undefined ? "" : ` in database ${chosen}`
  console.log(`All data of '${installation}'${which} becomes what it was at ${moment}.`)
  if (!(await confirmByName(installation))) {
    console.log("Nothing was changed.")
    process.exit(1)
  }
  const to = isTime ? ["--timestamp", moment] : ["--bookmark", moment]
  for (const number of databases) {
    const binding = databaseBinding(number)
    const args = ["d1", "time-travel", "restore", binding, "--json", ...to]
    const { previous_bookmark } = JSON.parse(wrangler([...args, ...configArgs(installation)])) as {
      previous_bookmark: string
    }
    console.log(`${databaseLabel(number)}To undo this, restore the bookmark ${previous_bookmark}.`)
    settle(number)
  }
}

function report(database: number) {
  const [row] = execute<{ teams: number; open: number; held: number }>(
    `select (select count(*) from teams) as teams, (select count(*) from emails
      where due_at is not null and not_before <= ${Date.now()}) as open, (${COUNT_HELD_RUNS}) as held`,
    database,
  )
  const waiting = `${row?.open} emails were waiting then and are sent now,
also those that have been sent since.`
  const held = `${row?.held} runs of sequences were due, and are held: resume their sequences.`
  console.log(`${databaseLabel(database)}Restored: ${row?.teams} teams. ${waiting}\n${held}`)
}

interface Repeat {
  keys: number
  members: number
  teams: number
  addresses: number
  isFinished: number
  waiting: number
}

function showStatus(database: number) {
  const [repeat] = execute<Repeat>(SELECT_REPEAT, database)
  const label = databaseLabel(database)
  if (!repeat) return console.log(`${label}This database was not restored.`)
  const { keys, members, teams, addresses, isFinished, waiting } = repeat
  console.log(`${label}Again since the restore: ${keys} keys revoked, ${members} members removed, ${teams} teams deleted,
${addresses} addresses found that had been erased; ${waiting} erasures have not ended.
${isFinished ? "Everything was compared." : "The comparison goes on."}`)
}
