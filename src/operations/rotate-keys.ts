import {
  askFactorRotation,
  COUNT_FACTOR_KEYS,
} from "../worker/access/people/second-factors/reseal.sql.ts"
import { askRotation, COUNT_BY_KEY } from "../worker/webhooks/reseal.sql.ts"
import { readWords } from "./arguments.ts"
import { databaseNumbers, execute, executeInEach } from "./wrangler.ts"

const USAGE = `npm run rotate-keys   seals stored secrets anew with the first of ENCRYPTION_KEYS
Add --remote (or --remote=URL, with several installations) for the deployed one.`

readWords(USAGE, 0)
const counts = executeInEach<{ key: string; secrets: number }>(COUNT_BY_KEY)
for (const database of databaseNumbers()) execute(askRotation(Date.now()), database)
const [factors] = execute<{ keys: number; secrets: number }>(COUNT_FACTOR_KEYS)
execute(askFactorRotation(Date.now()))
if (factors?.secrets) {
  const keys = factors.keys === 1 ? "1 key" : `${factors.keys} keys`
  console.log(`Authenticator apps: ${factors.secrets}, encrypted with ${keys}. From the next minute on, that is
the first of ENCRYPTION_KEYS alone.`)
}
if (counts.length === 0 && !factors?.secrets) {
  console.log("No stored secret is sealed yet: there is nothing to do.")
} else if (counts.length > 0) {
  console.table(counts)
  console.log(`These keys have sealed what is stored. All of it is sealed with the first of ENCRYPTION_KEYS
from the next minute on. Run this again: a key that is listed no more may leave ENCRYPTION_KEYS.`)
}
