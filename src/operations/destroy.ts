import { rmSync } from "node:fs"
import { endWithUsage, readWords } from "./arguments.ts"
import { confirmByName } from "./confirm.ts"
import { readAccess } from "./install/account.ts"
import { createCloudflare } from "./install/cloudflare.ts"
import { endWith } from "./install/end.ts"
import { findParts } from "./install/uninstall.ts"
import {
  configFile,
  describeInstallations,
  findInstallations,
  NAME,
  settingsFile,
} from "./installation.ts"

const USAGE = `npm run destroy -- [NAME|URL]   takes an installation and all its data away
Without a name, it is the installation that this machine knows. The command lists what goes, and asks
for the name.`

const [given] = readWords(USAGE, 1, null)
const known = findInstallations(given)
if (known.length > 1) {
  endWithUsage(USAGE, `Give a name, one of: ${describeInstallations(known)}`)
}
const name = known[0] ?? given ?? "edgepost"
if (!NAME.test(name)) endWithUsage(USAGE, `This machine knows no installation '${name}'`)
await endWith(async () => {
  console.log("Reading the login …")
  const cloudflare = createCloudflare(readAccess())
  const accountId = process.env.CLOUDFLARE_ACCOUNT_ID
  const parts = await findParts(cloudflare, { name, ...(accountId && { accountId }) })
  if (parts.length === 0) return console.log(`The account has no installation '${name}'.`)
  const lines = [...parts.map(({ says }) => says), `${settingsFile(name)} of this machine`]
  console.log(
    `This goes, and nothing brings it back:\n${lines.map((line) => `  ${line}`).join("\n")}`,
  )
  if (!(await confirmByName(name))) {
    console.log("Nothing was taken away.")
    process.exitCode = 1
    return
  }
  for (const { says, apply } of parts) {
    console.log(`  takes away ${says}`)
    await apply()
  }
  for (const file of [settingsFile(name), configFile(name)]) rmSync(file, { force: true })
  console.log(`The installation '${name}' is gone.`)
})
