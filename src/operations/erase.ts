import { normalizeAddress } from "../lib/address.ts"
import { endWithUsage, readWords } from "./arguments.ts"
import { databaseLabel, databaseOf, execute } from "./wrangler.ts"

const USAGE = `npm run erase -- TEAM ADDRESS   erases an address from a team's contacts, mail log and events
Add --remote (or --remote=URL, with several installations) for the deployed one.`

const [team = "", given = ""] = readWords(USAGE, 2)
const address = normalizeAddress(given)

if (!/^team_[0-9A-Z]{26}$/.test(team) || !address) endWithUsage(USAGE)
const database = databaseOf(team)
const asked = execute(
  `insert into erasures (team_id, email, requested_at)
   select id, '${address.replaceAll("'", "''")}', ${Date.now()} from teams where id = '${team}'
   on conflict do update set requested_at = excluded.requested_at returning email`,
  database,
)
console.log(
  asked.length > 0
    ? `${databaseLabel(database)}It will be erased within a minute.`
    : "There is no team with this id.",
)
if (asked.length === 0) process.exit(1)
