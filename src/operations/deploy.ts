import { setTimeout as sleep } from "node:timers/promises"
import { endWithUsage, readValue, readWords } from "./arguments.ts"
import { LOCATION_OPTIONS, LOCATION_USAGE, readLocation, readNumber } from "./database-location.ts"
import { readAccess } from "./install/account.ts"
import { adopt } from "./install/adopt.ts"
import { createCloudflare } from "./install/cloudflare.ts"
import { endWith } from "./install/end.ts"
import { install } from "./install/install.ts"
import { nextSteps } from "./install/next-steps.ts"
import { uploadByWrangler } from "./install/worker.ts"
import { describeInstallations, findInstallations, NAME, readTemplate } from "./installation.ts"
import { findBySettings, isOrigin } from "./settings.ts"

const USAGE = `npm run deploy -- [https://mail.example.com] [NAME] [--dry-run | --adopt] [--databases COUNT ${LOCATION_USAGE}]
The URL is where the installation will answer: by default that of the last time, and the first time
the Worker's address at workers.dev. Its name is 'edgepost' unless given: lower-case letters, digits
and hyphens. Two of different names share nothing; the same again is an update. --dry-run says what
would change. --adopt writes the settings of a deployed installation onto this machine, and deploys
nothing. --databases is how many databases it has in all; --jurisdiction and --location are those of
the new ones.`

const words = readWords(USAGE, 2, /^--(dry-run|adopt)$/, ["--databases", ...LOCATION_OPTIONS])
const isAdoption = process.argv.includes("--adopt")
const [address] = words[0]?.includes("/") ? words.splice(0, 1) : []
const [name] = words
if (address !== undefined && !isOrigin(address)) {
  const fault = `'${address}' is no URL of an installation: it needs https and a host, and no port or path`
  endWithUsage(USAGE, fault)
}
if (words.length > 1) endWithUsage(USAGE, `Unexpected argument '${words[1]}'`)
if (name !== undefined && !NAME.test(name)) {
  const fault = name.includes(".") ? `; a URL begins with https://` : ""
  endWithUsage(USAGE, `'${name}' is no name of an installation${fault}`)
}

const databases = { ...readCount(), ...readLocation(USAGE) }

await endWith(async () => {
  const dryRun = process.argv.includes("--dry-run")
  const accountId = process.env.CLOUDFLARE_ACCOUNT_ID
  const baseUrl = address && new URL(address).origin
  const wanted = { ...(baseUrl && { baseUrl }), ...(accountId && { accountId }) }
  const chosen = isAdoption
    ? name
    : (name ?? process.env.WRANGLER_CI_OVERRIDE_NAME ?? (await chooseName(baseUrl)))
  console.log("Reading the login …")
  const access = readAccess()
  const cloudflare = createCloudflare(access)
  if (isAdoption || chosen === undefined) {
    const lines = await adopt({ ...wanted, ...(name && { name }) }, cloudflare)
    return console.log(lines.join("\n"))
  }
  const installed = await install(
    { name: chosen, dryRun, databases, ...wanted },
    { cloudflare, upload: uploadByWrangler(access), report: (line) => console.log(line), sleep },
  )
  if (!dryRun) console.log(nextSteps(chosen, installed))
})

function readCount() {
  const given = readValue("--databases")
  return given === undefined ? {} : { count: readNumber(USAGE, "--databases", given) }
}

/** The installation of the URL, or that is to move there, or the only one; else the name of wrangler.toml. */
async function chooseName(baseUrl?: string): Promise<string> {
  const deployed = findInstallations(baseUrl)
  const found = deployed.length === 0 && baseUrl ? await findBySettings(baseUrl) : deployed
  if (found.length > 1) {
    endWithUsage(USAGE, `Give a URL or a name, one of: ${describeInstallations(found)}`)
  }
  return found[0] ?? (await readTemplate()).name
}
