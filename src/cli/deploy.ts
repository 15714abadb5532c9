import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { buildDashboard } from "./build-dashboard.ts"
import { deriveConfig, namesOf } from "./installation.ts"
import { wrangler } from "./wrangler.ts"

const USAGE = `npm run deploy -- https://mail.example.com [NAME]
The URL is where the installation will answer. Its name is 'edgepost' unless given: lower-case
letters, digits and hyphens. Two of different names share nothing; the same again is an update.`

/** Creates the missing parts on the account, migrates and deploys. */
const [address = "", name = "edgepost"] = process.argv.slice(2)
const baseUrl = URL.parse(address)
if (baseUrl?.protocol !== "https:" || !/^[a-z][a-z0-9-]{0,40}$/.test(name)) {
  console.log(USAGE)
  process.exit(1)
}
const configFile = `wrangler.${name}.toml`
const config = deriveConfig(readFileSync("wrangler.toml", "utf8"), {
  name,
  baseUrl: baseUrl.origin,
  databaseId: findOrCreateDatabase(),
})
writeFileSync(configFile, config)

createMissing(["queues"], namesOf(config, "queue"))
createMissing(["r2", "bucket"], namesOf(config, "bucket_name"))
wrangler(["d1", "migrations", "apply", "DB", "--remote", "--config", configFile], { CI: "1" })
await buildDashboard()
console.log(wrangler(["deploy", "--config", configFile]))
putMissingSecrets()

function findOrCreateDatabase(): string {
  const known = JSON.parse(wrangler(["d1", "list", "--json"])) as { name: string; uuid: string }[]
  const found = known.find((database) => database.name === name)
  if (found) return found.uuid
  wrangler(["d1", "create", name])
  return findOrCreateDatabase()
}

function createMissing(command: string[], names: string[]) {
  const known = wrangler([...command, "list"])
  for (const one of names) {
    if (!new RegExp(`\\b${one}(?![\\w-])`).test(known)) wrangler([...command, "create", one])
  }
}

/** Existing secrets stay, since earlier signatures and encrypted data need them. */
function putMissingSecrets() {
  const random = () => randomBytes(32).toString("base64")
  const secrets = { SIGNING_KEY: random(), ENCRYPTION_KEYS: `first:${random()}` }
  const known = wrangler(["secret", "list", "--config", configFile])
  for (const [secret, value] of Object.entries(secrets)) {
    if (known.includes(`"${secret}"`)) continue
    spawnSync("wrangler", ["secret", "put", secret, "--config", configFile], {
      input: value,
      stdio: ["pipe", "inherit", "inherit"],
    })
  }
}
