import { setTimeout as sleep } from "node:timers/promises"
import { readAccess } from "./install/account.ts"
import { createCloudflare } from "./install/cloudflare.ts"
import { endWith } from "./install/end.ts"
import { install } from "./install/install.ts"
import { nextSteps } from "./install/next-steps.ts"
import { uploadByWrangler } from "./install/worker.ts"
import { readTemplate, templateName } from "./installation.ts"
import { endWithUsage, readWords } from "./words.ts"

const USAGE = `npm run deploy -- [https://mail.example.com] [NAME] [--dry-run]
The URL is where the installation will answer: by default that of the last time, and the first time
the Worker's address at workers.dev. Its name is 'edgepost' unless given: lower-case letters, digits
and hyphens. Two of different names share nothing; the same again is an update. --dry-run says what
would change.`

const words = readWords(USAGE, 2, /^--dry-run$/)
const [address] = words[0]?.includes("//") ? words.splice(0, 1) : []
const [name = templateName(readTemplate())] = words

const isUsable =
  (address === undefined || isOrigin(address)) &&
  /^[a-z][a-z0-9-]{0,40}$/.test(name) &&
  words.length <= 1
if (!isUsable) endWithUsage(USAGE)

await endWith(async () => {
  const dryRun = process.argv.includes("--dry-run")
  const accountId = process.env.CLOUDFLARE_ACCOUNT_ID
  console.log("Reading the login …")
  const access = readAccess()
  const installed = await install(
    {
      name,
      dryRun,
      ...(address && { baseUrl: new URL(address).origin }),
      ...(accountId && { accountId }),
    },
    {
      cloudflare: createCloudflare(access),
      upload: uploadByWrangler(access),
      report: (line) => console.log(line),
      sleep,
    },
  )
  if (!dryRun) console.log(nextSteps(name, installed))
})

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === "https:" && url.port === "" && text.replace(/\/$/, "") === url.origin
}
