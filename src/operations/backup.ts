import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { endWithUsage, readWords } from "./words.ts"
import { configArgs, databaseArgs, remoteName, wrangler } from "./wrangler.ts"

const USAGE = `npm run backup -- [FILE.sql]   writes the database into a file
Add --remote (or --remote=NAME of the installation) for the deployed one. While it is exported, the
database answers nothing else: calls wait or fail meanwhile.`

const name = remoteName()
const at = new Date()
const stamp = at.toISOString().slice(0, 19).replaceAll(":", "-")
const [file = `backups/${name ?? "local"}-${stamp}.sql`] = readWords(USAGE, 1)
if (!file.endsWith(".sql")) endWithUsage(USAGE)
mkdirSync(dirname(file), { recursive: true })
// The bookmark is from before the export, so it also covers changes during the export.
const bookmark = name === null ? null : readBookmark(name)
console.log(`Exporting to ${file} …`)
wrangler(["d1", "export", ...databaseArgs(), "--skip-confirmation", "--output", file])
const note = { at: at.toISOString(), installation: name ?? "local", bookmark }
writeFileSync(`${file}.json`, `${JSON.stringify(note, null, 2)}\n`)
console.log(`${file} has the database, ${file}.json the time${
  bookmark ? ` and Time Travel's bookmark ${bookmark}` : ""
}.
Not in it: contents of more than 48 KB (in the bucket), live streams, and the secrets SIGNING_KEY and
ENCRYPTION_KEYS, without which stored secrets cannot be read.`)

function readBookmark(installation: string): string {
  const args = ["d1", "time-travel", "info", "DB", "--json", ...configArgs(installation)]
  return (JSON.parse(wrangler(args)) as { bookmark: string }).bookmark
}
