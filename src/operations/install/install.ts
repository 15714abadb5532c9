import { writeFileSync } from "node:fs"
import { inline } from "../../worker/platform/db/statement.ts"
import {
  bucketOf,
  type Config,
  configFile,
  databaseNameOf,
  deriveConfig,
  queuesOf,
  readTemplate,
  settingsFile,
  withName,
} from "../installation.ts"
import {
  differingSettings,
  type FoundSettings,
  findSettings,
  writeSettingsFile,
} from "../settings.ts"
import {
  type Account,
  checkPlan,
  findAccount,
  findPlace,
  findWorkersDev,
  NO_SUBDOMAIN,
} from "./account.ts"
import { addressChanges, awaitHealth } from "./address.ts"
import type { Cloudflare } from "./cloudflare.ts"
import {
  applyMigrations,
  createQuery,
  findDatabase,
  missingMigrations,
  type Query,
  readDatabase,
} from "./database.ts"
import { bucketChanges, type Change, lifecycleChanges, queueChanges } from "./parts.ts"
import {
  checkKeys,
  checkSwitch,
  checkWorker,
  findWorker,
  missingSecrets,
  type Upload,
} from "./worker.ts"

interface Wanted {
  name: string
  /** Default: the URL of the last deployment, else the Worker's address at workers.dev. */
  baseUrl?: string
  accountId?: string
  /** Only prints what would change. */
  dryRun?: boolean
}

interface Tools {
  cloudflare: Cloudflare
  upload: Upload
  report(line: string): void
  sleep(ms: number): Promise<void>
}

/**
 * Creates what the account lacks for an installation. An earlier run may have stopped anywhere. All
 * checks come before the first change.
 */
export async function install(wanted: Wanted, tools: Tools): Promise<Installed> {
  const { name } = wanted
  const { report } = tools
  report(`Edgepost '${name}'`)
  const found = await look(wanted, tools)
  const { account, baseUrl } = found

  report("Settings")
  await keepSettings(wanted, tools, found)
  report("Database, queues, bucket")
  const databaseId = await makeParts(wanted, tools, found)
  report("Migrations")
  await migrate(wanted, tools, { account, databaseId })

  report("Worker")
  const secrets = missingSecrets(found.worker)
  const upload = async () => {
    const file = configFile(name)
    const identity = { ...found.identity, databaseId: databaseId ?? "" }
    writeFileSync(file, deriveConfig(found.template, identity, found.settings))
    await tools.upload(file, account.id, secrets)
  }
  const made = new Intl.ListFormat("en").format(Object.keys(secrets))
  const says = made ? `uploads, with the new secrets ${made}` : "uploads"
  await apply(wanted, tools, [{ says, apply: upload }])

  report("Address")
  await apply(wanted, tools, found.address)
  if (wanted.dryRun || !databaseId) {
    report("Nothing was changed.")
    return { baseUrl, claimCode: null }
  }
  await awaitHealth(baseUrl, { ...tools, report: (line) => report(`  ${line}`) })
  report(`  ${baseUrl}/health answers`)
  const query = createQuery(tools.cloudflare, account.id, databaseId, "Making the claim code")
  return { baseUrl, claimCode: await makeClaimCode(query) }
}

export interface Installed {
  baseUrl: string
  /** Null after somebody has claimed the installation. */
  claimCode: string | null
}

/** The database has only a hash of the code, so each deployment makes a new code until one is used. */
async function makeClaimCode(query: Query): Promise<string | null> {
  // Loaded on use: the library of sign-ins takes a second to load.
  const { newClaimCode } = await import("../../worker/access/people/claim-code.ts")
  const { code, statement } = newClaimCode(Date.now())
  await query(inline(statement))
  const [row] = await query<{ claimed: number }>("select count(*) as claimed from users")
  return row?.claimed ? null : code
}

type Found = Awaited<ReturnType<typeof look>>

/** Reads the parts of the installation in the account, and refuses an account that cannot have one. */
async function look(wanted: Wanted, tools: Tools) {
  const { cloudflare, report } = tools
  report("Login")
  const account = await findAccount(cloudflare, wanted.accountId)
  report(`  ${account.name}`)
  report("Plan")
  report(`  ${await checkPlan(cloudflare, account)}`)
  const worker = await findWorker(cloudflare, account.id, wanted.name)
  const template = await readTemplate()
  const { settings, ...from } = await findSettings(wanted, worker, template)
  report("Zone")
  const known = settings.vars.BASE_URL ?? worker?.baseUrl
  const { workersDev, ...zone } = await lookAtZone(wanted, tools, account, known)
  settings.vars = { PROVIDER: "sandbox", ...settings.vars, BASE_URL: zone.baseUrl }
  report("What is there")
  const parts = await lookAtParts(wanted, tools, { account, worker, settings, template })
  report(worker ? "  an installation: updates it" : "  no such installation yet")
  const { name } = wanted
  const identity = { name, accountId: account.id, workersDev }
  return { account, worker, identity, template, settings, ...from, ...zone, ...parts }
}

type FoundWorker = Awaited<ReturnType<typeof findWorker>>

/** Writes the file of a new installation, and reports what differs from the deployed settings. */
async function keepSettings(
  wanted: Wanted,
  tools: Tools,
  { worker, settings, isNew, notes }: Found,
) {
  const { name } = wanted
  for (const note of notes) tools.report(`  ${note}`)
  const changed = worker ? differingSettings(settings, worker) : []
  if (changed.length > 0) tools.report(`  changes ${changed.join(", ")}`)
  const says = `writes ${settingsFile(name)}`
  const change = { says, apply: async () => writeSettingsFile(name, settings) }
  if (isNew) await apply(wanted, tools, [change])
}

async function lookAtZone(
  { name, baseUrl: given }: Wanted,
  { cloudflare, report }: Tools,
  account: Account,
  known: string | null | undefined,
) {
  const own = await findWorkersDev(cloudflare, account, name)
  const baseUrl = given ?? known ?? (own && `https://${own}`)
  if (!baseUrl) throw NO_SUBDOMAIN
  const host = new URL(baseUrl).hostname
  const place = await findPlace(cloudflare, account, { host, own })
  const address = await addressChanges(cloudflare, account.id, { host, name, place })
  report(`  ${"zoneName" in place ? place.zoneName : "workers.dev"}, for ${baseUrl}`)
  return { baseUrl, address, workersDev: "workersDev" in place }
}

interface Looked extends Pick<FoundSettings, "settings"> {
  account: Account
  worker: FoundWorker
  template: Config
}

async function lookAtParts(
  { name }: Wanted,
  { cloudflare }: Tools,
  { account, worker, settings, template }: Looked,
) {
  const config = withName(template, name)
  const databaseName = databaseNameOf(config)
  const bucket = bucketOf(config)
  const databaseId = await findDatabase(cloudflare, account.id, databaseName)
  checkWorker(worker, name, databaseId)
  if (databaseId) {
    const query = createQuery(cloudflare, account.id, databaseId, "Reading the database")
    const { PROVIDER: provider = "sandbox" } = settings.vars
    const { teams, unready } = await readDatabase(query, databaseName, provider)
    checkKeys(worker, teams)
    checkSwitch(worker, provider, unready)
  }
  const queues = await queueChanges(cloudflare, account.id, {
    names: queuesOf(config),
    worker: name,
  })
  const buckets = await bucketChanges(cloudflare, account.id, { name: bucket, isNew: !databaseId })
  const contentDays = Number(settings.vars.CONTENT_RETENTION_DAYS ?? 30)
  return {
    databaseName,
    databaseId,
    changes: [...queues, ...buckets],
    rules: { bucket, contentDays, isNew: buckets.length > 0 },
  }
}

/** Answers the id of the database. Null in a dry run without a database. */
async function makeParts(wanted: Wanted, tools: Tools, found: Found): Promise<string | null> {
  const { account, databaseName, databaseId, changes, rules } = found
  const { cloudflare } = tools
  const path = `/accounts/${account.id}/d1/database`
  const create = () =>
    cloudflare.call("Creating the database", "POST", path, { name: databaseName })
  const database = { says: `creates the database ${databaseName}`, apply: create }
  await apply(wanted, tools, [...(databaseId ? [] : [database]), ...changes])
  if (!(wanted.dryRun && rules.isNew)) {
    await apply(wanted, tools, await lifecycleChanges(cloudflare, account.id, rules))
  }
  return databaseId ?? findDatabase(cloudflare, account.id, databaseName)
}

async function migrate(
  wanted: Wanted,
  tools: Tools,
  { account, databaseId }: { account: Account; databaseId: string | null },
) {
  if (!databaseId) return tools.report("  would: apply all")
  const query = createQuery(tools.cloudflare, account.id, databaseId, "Migrating the database")
  const missing = await missingMigrations(query, wanted.name)
  const change = { says: `applies ${missing.length}`, apply: () => applyMigrations(query, missing) }
  await apply(wanted, tools, missing.length > 0 ? [change] : [])
}

async function apply({ dryRun }: Wanted, { report }: Tools, changes: readonly Change[]) {
  if (changes.length === 0) report("  as it should be")
  for (const change of changes) {
    report(`  ${dryRun ? "would: " : ""}${change.says}`)
    if (!dryRun) await change.apply()
  }
}
