import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { SELECT_MOVES_TABLE, selectMoving } from "../worker/teams/moving/request.sql.ts"
import { endWithUsage, readWords } from "./arguments.ts"
import { type BackupPart, partFile } from "./backups/backup-parts.ts"
import { NOT_BACKED_UP } from "./backups/not-backed-up.ts"
import { databaseBinding } from "./installation.ts"
import { leaveOutRows } from "./long-statements.ts"
import {
  configArgs,
  databaseArgs,
  databaseLabel,
  databaseNumbers,
  execute,
  remoteName,
  wrangler,
} from "./wrangler.ts"

const USAGE = `npm run backup -- [FILE.sql]   writes the database into a file
Add --remote (or --remote=URL, with several installations) for the deployed one. While it is exported, the
database answers nothing else: calls wait or fail meanwhile. With several databases, each has a file:
FILE.sql, FILE.2.sql, FILE.3.sql …`

const NOT_EXPORTED = `The database was not exported. D1 may refuse one that is too large. Without a backup, it can still be taken
back to any time of the last 30 days: npm run restore -- 2026-11-22T10:00:00Z --remote`

const name = remoteName()
const at = new Date()
const stamp = at.toISOString().slice(0, 19).replaceAll(":", "-")
const [file = `backups/${name ?? "local"}-${stamp}.sql`] = readWords(USAGE, 1)
if (!file.endsWith(".sql")) endWithUsage(USAGE)
// Nobody else on this machine may read a backup.
process.umask(0o077)
mkdirSync(dirname(file), { recursive: true })
const parts: BackupPart[] = []
refuseDuringMove()
for (const number of databaseNumbers()) parts.push(await backUp(number, partFile(file, number)))
// A team that moved meanwhile may be in no file, or in two.
refuseDuringMove(at.getTime())
const [first] = parts
const note = {
  at: at.toISOString(),
  installation: name ?? "local",
  bookmark: first?.bookmark ?? null,
  ...(parts.length > 1 && { databases: parts }),
}
writeFileSync(`${file}.json`, `${JSON.stringify(note, null, 2)}\n`)
for (const { number, bookmark } of parts) {
  const known = bookmark ? `, Time Travel's bookmark is ${bookmark}` : ""
  console.log(`${databaseLabel(number)}${partFile(file, number)} has the database${known}.`)
}
console.log(`${file}.json has the time${note.bookmark ? " and the bookmark" : ""}.
Only this account can read them. Not in them: sessions, links that set a password, invitations, contents of mail that
was sent hours ago or has more than 48 KB and images (in the bucket), live streams, and the keys SIGNING_KEY, ENCRYPTION_KEYS and ERASURE_KEY, without
which stored secrets cannot be read.`)

function refuseDuringMove(since = Number.MAX_SAFE_INTEGER) {
  if (databaseNumbers().length === 1 || execute(SELECT_MOVES_TABLE).length === 0) return
  const [moving] = execute<{ teamId: string }>(selectMoving(since))
  if (!moving) return
  console.error(`The team ${moving.teamId} is on its way to another database: npm run databases -- move shows how far.
Make the backup when it is there.`)
  process.exit(1)
}

async function backUp(number: number, target: string): Promise<BackupPart> {
  // The bookmark is from before the export, so it also covers changes during the export.
  const bookmark = name === null ? null : readBookmark(name, number)
  console.log(`${databaseLabel(number)}Exporting to ${target} …`)
  const whole = `${target}.part`
  const args = ["d1", "export", ...databaseArgs(number), "--skip-confirmation", "--output", whole]
  wrangler(args, {}, name === null ? "" : NOT_EXPORTED)
  try {
    await leaveOutRows(whole, target, NOT_BACKED_UP)
  } finally {
    rmSync(whole)
  }
  return { number, bookmark }
}

function readBookmark(installation: string, number: number): string {
  const binding = databaseBinding(number)
  const args = ["d1", "time-travel", "info", binding, "--json", ...configArgs(installation)]
  return (JSON.parse(wrangler(args)) as { bookmark: string }).bookmark
}
