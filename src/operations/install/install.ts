import { writeFileSync } from "node:fs"
import { inline } from "../../worker/platform/db/statement.ts"
import {
  type Bucket,
  bucketOf,
  type Config,
  configFile,
  databaseNameOf,
  deriveConfig,
  type FileSettings,
  queuesOf,
  readTemplate,
  withName,
} from "../installation.ts"
import { type FoundSettings, findSettings } from "../settings.ts"
import {
  type Account,
  checkPlan,
  findAccount,
  findPlace,
  findWorkersDev,
  NO_SUBDOMAIN,
} from "./account.ts"
import { addressChanges, awaitHealth } from "./address.ts"
import { apply, applyTogether } from "./apply.ts"
import { bucketChanges, checkKeys, findBuckets, lifecycleChanges } from "./bucket.ts"
import type { Cloudflare } from "./cloudflare.ts"
import { createQuery, type Query } from "./database.ts"
import {
  checkDomainsSoon,
  checkOwners,
  createChanges,
  existing,
  type FoundDatabase,
  findDatabases,
  planDatabases,
  readDatabases,
  type WantedDatabases,
} from "./databases.ts"
import { keepSettings } from "./keep-settings.ts"
import { queueChanges } from "./queues.ts"
import {
  checkSwitch,
  checkWorker,
  findWorker,
  givenSecrets,
  type Upload,
  withClaimedUrl,
} from "./worker.ts"

interface Wanted {
  name: string
  /** Default: the URL of the last deployment, else the Worker's address at workers.dev. */
  baseUrl?: string
  accountId?: string
  /** Only prints what would change. */
  dryRun?: boolean
  databases?: WantedDatabases
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
  const databases = await makeParts(wanted, tools, found)

  report("Worker")
  const secrets = givenSecrets(found.worker)
  const upload = async () => {
    const file = configFile(name)
    const { identity: own, buckets } = found
    const identity = { ...own, databases: existing(databases), buckets }
    writeFileSync(file, deriveConfig(found.template, identity, found.settings))
    await tools.upload(file, account.id, secrets)
  }
  const given = new Intl.ListFormat("en").format(Object.keys(secrets))
  const says = given ? `uploads, with the secrets ${given}` : "uploads"
  await apply(wanted, tools, [{ says, apply: upload }])

  report("Address")
  await apply(wanted, tools, found.address)
  const [first] = existing(databases)
  if (wanted.dryRun || !first) {
    report("Nothing was changed.")
    return { baseUrl, claimCode: null }
  }
  await awaitHealth(baseUrl, { ...tools, report: (line) => report(`  ${line}`) })
  report(`  ${baseUrl}/health answers`)
  await checkDomainsSoon(
    tools.cloudflare,
    account.id,
    existing(databases),
    providerOf(found.settings),
  )
  const query = createQuery(tools.cloudflare, account.id, first.id, "Making the claim code")
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
  const { newClaimCode } = await import("../../worker/access/people/claiming/claim-code.ts")
  const { code, statement } = newClaimCode(Date.now())
  await query(inline(statement))
  const [row] = await query<{ claimed: number }>("select count(*) as claimed from users")
  return row?.claimed ? null : code
}

const providerOf = ({ vars: { PROVIDER = "sandbox" } }: Pick<FileSettings, "vars">) => PROVIDER

type Found = Awaited<ReturnType<typeof look>>

/** Reads the parts of the installation in the account, and refuses an account that cannot have one. */
async function look(wanted: Wanted, tools: Tools) {
  const { cloudflare, report } = tools
  report("Login")
  const account = await findAccount(cloudflare, wanted.accountId)
  report(`  ${account.name}`)
  report("Plan")
  report(`  ${await checkPlan(cloudflare, account)}`)
  const deployed = unlessPlaceholder(await findWorker(cloudflare, account.id, wanted.name))
  const worker = deployed && (await withClaimedUrl(cloudflare, account.id, deployed))
  const template = await readTemplate()
  const { settings, ...from } = await findSettings(wanted, worker, template)
  report("Zone")
  const known = settings.vars.BASE_URL ?? worker?.vars.BASE_URL
  const { workersDev, ...zone } = await lookAtZone(wanted, tools, account, known)
  settings.vars = { PROVIDER: "sandbox", ...settings.vars, BASE_URL: zone.baseUrl }
  report("What is there")
  const parts = await lookAtParts(wanted, tools, { account, worker, settings, template })
  report(worker ? "  an installation: updates it" : "  no such installation yet")
  const { name } = wanted
  const identity = { name, accountId: account.id, workersDev }
  return { account, worker, identity, template, settings, ...from, ...zone, ...parts }
}

/** Workers Builds makes a Worker that only says "Hello World" before the first build. */
const unlessPlaceholder = (worker: FoundWorker) =>
  process.env.WORKERS_CI && worker?.isEmpty ? null : worker

type FoundWorker = Awaited<ReturnType<typeof findWorker>>

async function lookAtZone(
  { name, baseUrl: given }: Wanted,
  { cloudflare, report }: Tools,
  account: Account,
  known: string | null | undefined,
) {
  const own = await findWorkersDev(cloudflare, account, name)
  const url = given ?? known ?? (own && `https://${own}`)
  if (!url) throw NO_SUBDOMAIN
  const { origin: baseUrl, hostname: host } = new URL(url)
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
  { name, databases: more = {} }: Wanted,
  { cloudflare }: Tools,
  { account, worker, settings, template }: Looked,
) {
  const config = withName(template, name)
  const planned = planDatabases(settings.databases, worker, more)
  const databaseName = databaseNameOf(config)
  const databases = await findDatabases(cloudflare, account.id, databaseName, planned)
  const isNew = !databases[0]?.id
  checkWorker(worker, name, databases[0]?.id ?? null)
  await checkOwners(cloudflare, account.id, worker, databases)
  const provider = providerOf(settings)
  const { teams, unready } = await readDatabases(cloudflare, account.id, databases, provider)
  const buckets = await findBuckets(cloudflare, account.id, {
    bucket: bucketOf(config),
    databases: planned,
  })
  if (!worker && teams > 0) await checkKeys(cloudflare, account.id, buckets[0] as Bucket)
  checkSwitch(worker, provider, unready)
  const queues = await queueChanges(cloudflare, account.id, {
    names: queuesOf(config),
    worker: name,
    databases: planned,
  })
  const contentDays = Number(settings.vars.CONTENT_RETENTION_DAYS ?? 30)
  return {
    planned,
    databaseName,
    databases,
    changes: [...queues, ...bucketChanges(cloudflare, account.id, { buckets, isNew })],
    buckets,
    contentDays,
  }
}

/** Answers the databases with their ids. In a dry run, those that do not exist have none. */
async function makeParts(wanted: Wanted, tools: Tools, found: Found): Promise<FoundDatabase[]> {
  const { account, databaseName, databases, buckets, contentDays, changes } = found
  const { cloudflare } = tools
  const missing = createChanges(cloudflare, account.id, databases)
  await applyTogether(wanted, tools, missing)
  if (missing.length === 0 || changes.length > 0) await apply(wanted, tools, changes)
  for (const bucket of buckets.filter(({ exists }) => exists || !wanted.dryRun)) {
    const rules = await lifecycleChanges(cloudflare, account.id, { bucket, contentDays })
    await apply(wanted, tools, rules)
  }
  return missing.length > 0
    ? findDatabases(cloudflare, account.id, databaseName, databases)
    : databases
}
