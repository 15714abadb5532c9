import { confirmByName } from "./confirm.ts"
import { readAccess } from "./install/account.ts"
import { createCloudflare } from "./install/cloudflare.ts"
import { endWith } from "./install/end.ts"
import { findParts } from "./install/uninstall.ts"
import { endWithUsage, readWords } from "./words.ts"

const USAGE = `npm run destroy -- [NAME]   takes an installation and all its data away
Its name is 'edgepost' unless given. The command lists what goes, and asks for the name.`

const [name = "edgepost"] = readWords(USAGE, 1, null)
if (!/^[a-z][a-z0-9-]{0,40}$/.test(name)) endWithUsage(USAGE)
await endWith(async () => {
  console.log("Reading the login …")
  const cloudflare = createCloudflare(readAccess())
  const accountId = process.env.CLOUDFLARE_ACCOUNT_ID
  const parts = await findParts(cloudflare, { name, ...(accountId && { accountId }) })
  if (parts.length === 0) return console.log(`The account has no installation '${name}'.`)
  console.log(
    `This goes, and nothing brings it back:\n${parts.map(({ says }) => `  ${says}`).join("\n")}`,
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
  console.log(`The installation '${name}' is gone.`)
})
