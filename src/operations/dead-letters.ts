import { endWithUsage, readWords } from "./arguments.ts"
import { databaseLabel, databaseNumbers, execute, executeInEach } from "./wrangler.ts"

const USAGE = `npm run dead-letters                    what the queues gave up on
npm run dead-letters -- replay ID|all   puts it back with the next minute's sweep
Add --remote (or --remote=URL, with several installations) for the deployed one.`

interface DeadLetter {
  id: string
  queue: string
  createdAt: string
  state: string
}

const [command = "list", id] = readWords(USAGE, 2)

if (command === "list") list()
else if (command === "replay" && id && /^(all|dl_[0-9A-Z]{26})$/.test(id)) replay(id)
else endWithUsage(USAGE)

function list() {
  const letters = executeInEach<DeadLetter>(
    `select id, queue, datetime(created_at / 1000, 'unixepoch') as createdAt,
       iif(replayed_at is null, iif(replay_at is null, 'kept', 'replay asked'), 'replayed') as state
     from dead_letters order by id desc limit 100`,
  )
  if (letters.length > 0) console.table(letters)
  else console.log("There are no dead letters.")
}

function replay(which: string) {
  const one = which === "all" ? "replayed_at is null" : `id = '${which}'`
  for (const database of databaseNumbers()) {
    const sql = `update dead_letters set replay_at = ${Date.now()} where ${one} returning id`
    const asked = execute(sql, database)
    console.log(`${databaseLabel(database)}${asked.length} will be put back within a minute.`)
  }
}
