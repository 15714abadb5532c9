import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { leaveOutRows } from "./long-statements.ts"
import { NOT_BACKED_UP } from "./not-backed-up.ts"
import { endWithUsage, readWords } from "./words.ts"
import { configArgs, databaseArgs, remoteName, wrangler } from "./wrangler.ts"

const USAGE = `npm run backup -- [FILE.sql]   writes the database into a file
Add --remote (or --remote=URL, with several installations) for the deployed one. While it is exported, the
database answers nothing else: calls wait or fail meanwhile.`

const name = remoteName()
const at = new Date()
const stamp = at.toISOString().slice(0, 19).replaceAll(":", "-")
const [file = `backups/${name ?? "local"}-${stamp}.sql`] = readWords(USAGE, 1)
if (!file.endsWith(".sql")) endWithUsage(USAGE)
// Nobody else on this machine may read a backup.
process.umask(0o077)
mkdirSync(dirname(file), { recursive: true })
// The bookmark is from before the export, so it also covers changes during the export.
const bookmark = name === null ? null : readBookmark(name)
console.log(`Exporting to ${file} …`)
const whole = `${file}.part`
wrangler(["d1", "export", ...databaseArgs(), "--skip-confirmation", "--output", whole])
try {
  await leaveOutRows(whole, file, NOT_BACKED_UP)
} finally {
  rmSync(whole)
}
const note = { at: at.toISOString(), installation: name ?? "local", bookmark }
writeFileSync(`${file}.json`, `${JSON.stringify(note, null, 2)}\n`)
console.log(`${file} has the database, ${file}.json the time${
  bookmark ? ` and Time Travel's bookmark ${bookmark}` : ""
}.
Only this account can read them. Not in them: sessions, links that set a password, invitations, contents of mail that
was sent hours ago or has more than 48 KB and images (in the bucket), live streams, and the secrets SIGNING_KEY, ENCRYPTION_KEYS and ERASURE_KEY, without
which stored secrets cannot be read.`)

function readBookmark(installation: string): string {
  const args = ["d1", "time-travel", "info", "DB", "--json", ...configArgs(installation)]
  return (JSON.parse(wrangler(args)) as { bookmark: string }).bookmark
}
