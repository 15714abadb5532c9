import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { askRepeat, SELECT_REPEAT } from "../worker/removals/repeat-sql.ts"
import { confirmByName } from "./confirm.ts"
import { resizeStatements } from "./long-statements.ts"
import { NOT_BACKED_UP } from "./not-backed-up.ts"
import { endWithUsage, readWords } from "./words.ts"
import {
  configArgs,
  databaseArgs,
  execute,
  remoteName,
  wrangler,
  wranglerShown,
} from "./wrangler.ts"

const USAGE = `npm run restore -- FILE.sql                 loads a backup into a database without teams
npm run restore -- BOOKMARK|TIME --remote   takes the deployed database back in time: 30 days at most
npm run restore -- status                   what was erased and revoked again since the last restore
--remote=URL chooses one of several installations. TIME is such as 2026-11-22T10:00:00Z.`

const [from = ""] = readWords(USAGE, 1)
const name = remoteName()
const isFile = from.endsWith(".sql")
const isUsable = isFile ? existsSync(from) : from && (name !== null || from === "status")
if (!isUsable) endWithUsage(USAGE)
if (from === "status") showStatus()
else await restore()

async function restore() {
  if (isFile) await load(from)
  else await travel(from, name as string)
  // The backup, or the time, may be of an earlier version.
  wrangler(["d1", "migrations", "apply", ...databaseArgs()], { CI: "1" })
  const letsIn = isFile ? "" : NOT_BACKED_UP.map((table) => `delete from ${table};`).join("")
  execute(letsIn + askRepeat(Date.now(), restoredTo()))
  report()
}

/** Zero if it is unknown: then all that was ever removed is removed again. */
function restoredTo(): number {
  if (!isFile) return from.includes("T") ? Date.parse(from) || 0 : 0
  const note = `${from}.json`
  return existsSync(note) ? Date.parse(JSON.parse(readFileSync(note, "utf8")).at) || 0 : 0
}

/** Replaces the tables of a new installation, which has no teams yet. */
async function load(file: string) {
  const tables = execute<{ name: string }>(
    "select name from sqlite_master where type = 'table' and name not glob 'sqlite_*' and name not glob '_cf_*'",
  ).map((table) => table.name)
  const [row] = tables.includes("teams")
    ? execute<{ teams: number }>("select count(*) as teams from teams")
    : []
  if (row && row.teams > 0) {
    console.error(
      "The database has teams. Restore into a new installation: npm run deploy -- URL NAME, then this command with --remote=NAME.",
    )
    process.exit(1)
  }
  if (tables.length > 0) execute(tables.map((table) => `drop table "${table}"`).join(";\n"))
  console.log(`Loading ${file}, ${Math.ceil(statSync(file).size / 1_000_000)} MB …`)
  const directory = mkdtempSync(join(tmpdir(), "edgepost-"))
  const loaded = join(directory, "restore.sql")
  await resizeStatements(file, loaded)
  await wranglerShown(["d1", "execute", ...databaseArgs(), "--yes", "--file", loaded])
  rmSync(directory, { recursive: true })
}

async function travel(moment: string, installation: string) {
  console.log(`All data of '${installation}' becomes what it was at ${moment}.`)
  if (!(await confirmByName(installation))) {
    console.log("Nothing was changed.")
    process.exit(1)
  }
  const to = moment.includes("T") ? ["--timestamp", moment] : ["--bookmark", moment]
  const args = ["d1", "time-travel", "restore", "DB", "--json", ...to, ...configArgs(installation)]
  const { previous_bookmark } = JSON.parse(wrangler(args)) as { previous_bookmark: string }
  console.log(`To undo this, restore the bookmark ${previous_bookmark}.`)
}

function report() {
  const [row] = execute<{ teams: number; open: number }>(
    `select (select count(*) from teams) as teams, (select count(*) from emails
      where due_at is not null and not_before <= ${Date.now()}) as open`,
  )
  console.log(`Restored: ${row?.teams} teams. ${row?.open} emails were waiting then and are sent now,
also those that have been sent since. The Worker now revokes, removes and erases again what has been
since, within minutes: npm run restore -- status${name === null ? "" : ` --remote=${name}`}`)
}

interface Repeat {
  keys: number
  members: number
  teams: number
  addresses: number
  isFinished: number
  waiting: number
}

function showStatus() {
  const [repeat] = execute<Repeat>(SELECT_REPEAT)
  if (!repeat) return console.log("This database was not restored.")
  const { keys, members, teams, addresses, isFinished, waiting } = repeat
  console.log(`Again since the restore: ${keys} keys revoked, ${members} members removed, ${teams} teams deleted,
${addresses} addresses found that had been erased; ${waiting} erasures have not ended.
${isFinished ? "Everything was compared." : "The comparison goes on."}`)
}
