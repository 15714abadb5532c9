import { existsSync, writeFileSync } from "node:fs"
import {
  bucketOf,
  configFile,
  deriveConfig,
  readTemplate,
  settingsFile,
  withName,
} from "../installation.ts"
import {
  addToSettingsFile,
  adoptSettings,
  differingSettings,
  readSettingsFile,
  writeSettingsFile,
} from "../settings.ts"
import { findAccount } from "./account.ts"
import { findBuckets } from "./bucket.ts"
import type { Cloudflare } from "./cloudflare.ts"
import { missingDatabases } from "./databases.ts"
import { Failure } from "./failure.ts"
import { findWorker, withClaimedUrl } from "./worker.ts"

interface Wanted {
  /** Default: the Worker that serves the URL, else 'edgepost'. */
  name?: string
  baseUrl?: string
  accountId?: string
}

/** Writes the files of a deployed installation onto this machine. Changes nothing in the account. */
export async function adopt(wanted: Wanted, cloudflare: Cloudflare): Promise<string[]> {
  const account = await findAccount(cloudflare, wanted.accountId)
  const name = wanted.name ?? (await findName(cloudflare, account.id, wanted.baseUrl))
  const deployed = name ? await findWorker(cloudflare, account.id, name) : null
  const worker = deployed && (await withClaimedUrl(cloudflare, account.id, deployed))
  if (!name || !worker?.databaseId || !worker.vars.BASE_URL) {
    throw new Failure(
      `The account ${account.name} has no installation ${wanted.baseUrl ?? `'${name}'`}.`,
      "Check the URL and the name, or deploy it without --adopt.",
    )
  }
  const { settings, notes } = adoptSettings(worker)
  const { origin, hostname } = new URL(worker.vars.BASE_URL)
  settings.vars.BASE_URL = origin
  const file = settingsFile(name)
  if (existsSync(file)) {
    const known = await readSettingsFile(file)
    const differing = differingSettings(known, settings)
    if (differing.length > 0) {
      throw new Failure(
        `${file} differs from what is deployed: ${differing.join(", ")}.`,
        "Deploy it, or move the file away and run the same command again.",
      )
    }
    addToSettingsFile(name, missingDatabases(known.databases, settings.databases))
  } else writeSettingsFile(name, settings)
  const template = await readTemplate()
  const { databases } = worker
  const identity = {
    name,
    accountId: account.id,
    databases,
    buckets: await findBuckets(cloudflare, account.id, {
      bucket: bucketOf(withName(template, name)),
      databases,
    }),
    workersDev: hostname.endsWith(".workers.dev"),
  }
  writeFileSync(configFile(name), deriveConfig(template, identity, settings))
  return [...notes, `${file} has the settings of ${origin}. Its secrets stay in the account.`]
}

async function findName(
  cloudflare: Cloudflare,
  accountId: string,
  baseUrl?: string,
): Promise<string | undefined> {
  if (!baseUrl) return "edgepost"
  const { hostname } = new URL(baseUrl)
  if (hostname.endsWith(".workers.dev")) return hostname.split(".")[0]
  const domains = await cloudflare.call<{ hostname: string; service: string }[]>(
    "Looking for the Worker of the URL",
    "GET",
    `/accounts/${accountId}/workers/domains?hostname=${hostname}`,
  )
  return domains.find((one) => one.hostname === hostname)?.service
}
