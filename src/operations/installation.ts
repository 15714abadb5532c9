import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { Jurisdiction } from "../worker/platform/env.ts"

interface Observability {
  logs?: object
}

/** What wrangler.toml has of an installation. */
export interface Config {
  name: string
  vars?: Record<string, unknown>
  observability?: Observability
  d1_databases: { binding: string; database_name: string; preview_database_id?: string }[]
  r2_buckets: { binding: string; bucket_name: string; jurisdiction?: Jurisdiction }[]
  queues: Record<"producers" | "consumers", { queue: string }[]>
  ratelimits: { namespace_id: string }[]
}

/** Reads TOML with wrangler's own parser, which is loaded on use: it takes a second to load. */
export async function readToml<T>(file: string): Promise<T> {
  const { experimental_readRawConfig } = await import("wrangler")
  return experimental_readRawConfig({ config: file }).rawConfig as T
}

export const readTemplate = () => readToml<Config>("wrangler.toml")

/** Where Cloudflare puts a new database, if it can. */
export const LOCATIONS = ["wnam", "enam", "weur", "eeur", "apac", "oc"] as const

/** A database of an installation. The first one is the directory. */
export interface Database {
  number: number
  jurisdiction?: Jurisdiction
  location?: (typeof LOCATIONS)[number]
}

export interface BoundDatabase extends Database {
  id: string
}

/** A key's hash names its database by 12 bits. */
export const MOST_DATABASES = 4095

export const databaseBinding = (number: number) => (number === 1 ? "DB" : `DB_${number}`)
export const databaseName = (name: string, number: number) =>
  number === 1 ? name : `${name}-${number}`

/** `CONTENT`, and a bucket for each jurisdiction of a database that this one does not have. */
export interface Bucket {
  binding: string
  name: string
  jurisdiction?: Jurisdiction
}

export interface Identity {
  name: string
  databases: readonly BoundDatabase[]
  buckets: readonly Bucket[]
  accountId: string
  /** True if the Worker has only its address at workers.dev, false if it has only its own host. */
  workersDev: boolean
}

export interface FileSettings {
  vars: Record<string, string>
  observability?: Observability
  /** The databases beside the first, and the first one if it has a jurisdiction or a location. */
  databases?: Database[]
}

/** Makes wrangler's configuration of an installation. All names start with the name of the Worker. */
export function deriveConfig(
  template: Config,
  { name, databases, buckets, accountId, workersDev }: Identity,
  { vars, observability }: FileSettings,
): string {
  const config = withName(template, name)
  const derived = {
    ...config,
    account_id: accountId,
    keep_vars: false,
    workers_dev: workersDev,
    preview_urls: false,
    vars: { ...vars, ...jurisdictionsOf(databases), WORKER_NAME: name },
    observability: {
      ...config.observability,
      ...observability,
      logs: { ...config.observability?.logs, ...observability?.logs },
    },
    d1_databases: databases.flatMap((database) => bindDatabase(config, database)),
    r2_buckets: buckets.map(({ binding, name, jurisdiction }) => ({
      binding,
      bucket_name: name,
      jurisdiction,
    })),
    ratelimits: config.ratelimits.map((one) => ({
      ...one,
      namespace_id: String(namespaceOf(`${name} ${one.namespace_id}`)),
    })),
  }
  return `${JSON.stringify(derived, null, 2)}\n`
}

const bindDatabase = (config: Config, { number, id }: { number: number; id: string }) =>
  config.d1_databases.map(({ preview_database_id: _, ...one }) => ({
    ...one,
    binding: databaseBinding(number),
    database_name: databaseName(one.database_name, number),
    database_id: id,
  }))

/** The variable by which the Worker knows where the data of a team may be. */
function jurisdictionsOf(databases: readonly Database[]) {
  const listed = databases.flatMap(({ number, jurisdiction }) =>
    jurisdiction ? [{ number, jurisdiction }] : [],
  )
  return listed.length > 0 ? { DATABASES: JSON.stringify(listed) } : {}
}

const NAMES = new Set(["name", "database_name", "bucket_name", "queue", "dead_letter_queue"])

/** Replaces only the names of the parts, never a setting. */
export const withName = (template: Config, name: string): Config =>
  JSON.parse(
    JSON.stringify(template, (key, value) =>
      NAMES.has(key) && String(value).startsWith(template.name)
        ? name + value.slice(template.name.length)
        : value,
    ),
  )

export const queuesOf = ({ queues: { producers, consumers } }: Config) => [
  ...new Set([...producers, ...consumers].map(({ queue }) => queue)),
]
export const bucketOf = ({ r2_buckets: [first] }: Config) => first?.bucket_name ?? ""
export const databaseNameOf = ({ d1_databases: [first] }: Config) => first?.database_name ?? ""

/** Rate limits with the same number share counters, so each installation has its own number. */
function namespaceOf(name: string): number {
  let hash = 0
  for (const character of name) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_000_007
  return hash + 1
}

export const NAME = /^[a-z][a-z0-9-]{0,40}$/
export const settingsFile = (name: string) => `settings.${name}.toml`
export const configFile = (name: string) => `wrangler.${name}.json`

/** The installations that this machine knows: each has a file of settings. */
export const installationNames = (): string[] =>
  readdirSync(".").flatMap((file) => /^settings\.([a-z][a-z0-9-]*)\.toml$/.exec(file)?.[1] ?? [])

/** The installation's URL in the configuration that the last deployment wrote. */
const baseUrlOf = (name: string): string | undefined =>
  existsSync(configFile(name))
    ? (JSON.parse(readFileSync(configFile(name), "utf8")) as FileSettings).vars.BASE_URL
    : undefined

/** The numbers of the databases that a configuration binds. One that is not there has one. */
export function boundNumbers(file: string): number[] {
  if (!existsSync(file)) return [1]
  const { d1_databases } = JSON.parse(readFileSync(file, "utf8")) as Config
  return d1_databases.map(({ binding }) => Number(binding.slice("DB_".length) || 1))
}

/** The numbers of the databases that a configuration says have a jurisdiction. */
export function jurisdictionNumbers(file: string): number[] {
  const { vars } = JSON.parse(readFileSync(file, "utf8")) as FileSettings
  return (JSON.parse(vars.DATABASES ?? "[]") as Database[]).map(({ number }) => number)
}

/** The names of the known installations that a name or URL fits, or of all of them. */
export function findInstallations(wanted?: string): string[] {
  const origin = URL.parse(wanted ?? "")?.origin
  return installationNames().filter(
    (name) => wanted === undefined || name === wanted || (origin && baseUrlOf(name) === origin),
  )
}

export const describeInstallations = (names: readonly string[]) =>
  names.map((name) => `${name} (${baseUrlOf(name) ?? "not deployed from here"})`).join(", ")
