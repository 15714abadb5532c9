import { setTimeout as sleep } from "node:timers/promises"
import { readAccess } from "./install/account.ts"
import { createCloudflare } from "./install/cloudflare.ts"
import { endWith } from "./install/end.ts"
import { install } from "./install/install.ts"
import { listDatabases } from "./install/list-databases.ts"
import { uploadByWrangler } from "./install/worker.ts"
import { describeInstallations, findInstallations } from "./installation.ts"
import { PLACE_OPTIONS, PLACE_USAGE, readNumber, readPlace } from "./place.ts"
import { endWithUsage, readWords } from "./words.ts"

const USAGE = `npm run databases -- [NAME|URL]             lists the databases of a deployed installation
npm run databases -- add COUNT [NAME|URL] ${PLACE_USAGE} [--dry-run]
                                            creates more, and deploys the Worker with them
A team stays in its database; new teams go into the emptiest one of their jurisdiction. After a failure,
run the same command again.`

const words = readWords(USAGE, 3, /^--dry-run$/, PLACE_OPTIONS)
const isAddition = words[0] === "add"
const more = isAddition ? readNumber(USAGE, "COUNT", words[1] ?? "") : 0
const [wanted, ...others] = words.slice(isAddition ? 2 : 0)
if (others.length > 0) endWithUsage(USAGE, `'${others[0]}' is a word too many`)
const place = readPlace(USAGE)
const dryRun = process.argv.includes("--dry-run")
if (!isAddition && (dryRun || Object.keys(place).length > 0)) endWithUsage(USAGE)
const known = findInstallations(wanted)
const [name] = known
if (!name || known.length > 1) {
  const names = describeInstallations(findInstallations())
  endWithUsage(
    USAGE,
    names ? `Give a name, one of: ${names}` : "This machine knows no installation",
  )
}

await endWith(async () => {
  console.log("Reading the login …")
  const access = readAccess()
  const cloudflare = createCloudflare(access)
  const accountId = process.env.CLOUDFLARE_ACCOUNT_ID
  const installation = { name, ...(accountId && { accountId }) }
  if (!isAddition) return console.table(await listDatabases(installation, cloudflare))
  await install(
    { ...installation, dryRun, databases: { more, ...place } },
    { cloudflare, upload: uploadByWrangler(access), report: (line) => console.log(line), sleep },
  )
})
