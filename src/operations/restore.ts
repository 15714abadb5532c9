import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { confirmByName } from "./confirm.ts"
import { resizeStatements } from "./long-statements.ts"
import { endWithUsage, readWords } from "./words.ts"
import { configArgs, databaseArgs, execute, remoteName, wrangler } from "./wrangler.ts"

const USAGE = `npm run restore -- FILE.sql                 loads a backup into a database without teams
npm run restore -- BOOKMARK|TIME --remote   takes the deployed database back in time: 30 days at most
--remote=URL chooses one of several installations. TIME is such as 2026-11-22T10:00:00Z.`

const [from = ""] = readWords(USAGE, 1)
const name = remoteName()
const isFile = from.endsWith(".sql")
if (!from || (isFile ? !existsSync(from) : name === null)) endWithUsage(USAGE)
if (isFile) await load(from)
else await travel(from, name as string)
report()

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
  wrangler(["d1", "execute", ...databaseArgs(), "--yes", "--file", loaded])
  rmSync(directory, { recursive: true })
  // The backup may be from an earlier version.
  wrangler(["d1", "migrations", "apply", ...databaseArgs()], { CI: "1" })
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
also those that have been sent since.`)
}
