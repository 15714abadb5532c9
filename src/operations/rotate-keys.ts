import { askRotation, COUNT_BY_KEY } from "../worker/webhooks/reseal-sql.ts"
import { readWords } from "./words.ts"
import { databaseNumbers, execute, executeInEach } from "./wrangler.ts"

const USAGE = `npm run rotate-keys   seals stored secrets anew with the first of ENCRYPTION_KEYS
Add --remote (or --remote=URL, with several installations) for the deployed one.`

readWords(USAGE, 0)
const counts = executeInEach<{ key: string; secrets: number }>(COUNT_BY_KEY)
for (const database of databaseNumbers()) execute(askRotation(Date.now()), database)
if (counts.length === 0) console.log("No stored secret is sealed yet: there is nothing to do.")
else {
  console.table(counts)
  console.log(`These keys have sealed what is stored. All of it is sealed with the first of ENCRYPTION_KEYS
from the next minute on. Run this again: a key that is listed no more may leave ENCRYPTION_KEYS.`)
}
