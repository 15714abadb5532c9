import { mapLimit } from "../../../lib/chunk.ts"
import { logError } from "../../../lib/log.ts"
import { within } from "../../../lib/within.ts"
import { DIRECTORY, databaseEnv, databaseNumbers, hasOthers } from "../db/databases.ts"
import type { Env } from "../env.ts"
import { retryLater } from "../http/errors.ts"
import { KEY_NAMES, type Keys, readKeys } from "./keys.ts"
import { type Migration, migrate } from "./migrate.ts"

/** The last migration. The texts are loaded only where a database lacks one. */
export const NEWEST = "0068_fold_links_with_addresses.sql"

export async function readMigrations(): Promise<Migration[]> {
  const files = await import("./migrations.ts")
  return Object.entries(files).map(([name, sql]) => ({ name, sql }))
}

/** Before a claim, nothing is sent, so no link has this host. */
const UNCLAIMED = "https://unclaimed.invalid"

const READS_WITHIN_MS = 5_000
const MIGRATES_WITHIN_MS = 30_000
/** A new database takes 200 statements, and an invocation may run 1,000: the others wait for the next one. */
const MOST_STATEMENTS = 300
const AT_ONCE = 3
/** After this time, a database that did not answer is asked again. */
const AGAIN_AFTER_MS = 10_000

interface Found extends Keys {
  BASE_URL?: string
}

interface Known {
  found: Found
  /** When to look again. */
  until: number
}

/**
 * The environment with what nobody has set: keys, and the URL of the claim. Given settings count. The first call of
 * a process waits until the databases have all migrations. No promise is kept: the call that made it may be cancelled.
 */
export function makePrepare(now: () => number = Date.now) {
  let known: Known | undefined
  let prepared = new WeakMap<Env, Env>()
  return async (env: Env, origin = UNCLAIMED): Promise<Env> => {
    if (!known || now() >= known.until) {
      known = await look(env, now)
      prepared = new WeakMap()
    }
    const { found } = known
    if (!(env.BASE_URL ?? found.BASE_URL)) return { BASE_URL: origin, ...found, ...env }
    const complete = prepared.get(env) ?? { ...found, ...env }
    prepared.set(env, complete)
    return complete
  }
}

export const prepare = makePrepare()

async function look(env: Env, now: () => number): Promise<Known> {
  const directory = databaseEnv(env, DIRECTORY).DB
  const soon = now() + AGAIN_AFTER_MS
  const stored = await readStored(directory).catch((error) => {
    if (!hasOthers(env) || !hasSettings(env)) throw error
    logError(error, { preparing: true })
    return null
  })
  if (!stored) return { found: {}, until: soon }
  const isMigrated = await migrateAll(env, directory, stored.migrated)
  const { BASE_URL } = stored
  const found = { ...(await readKeys(env, directory)), ...(BASE_URL && { BASE_URL }) }
  if (!(env.BASE_URL ?? BASE_URL)) return { found, until: 0 }
  const hasKeys = KEY_NAMES.every((name) => env[name] ?? found[name])
  return { found, until: isMigrated && hasKeys ? Number.POSITIVE_INFINITY : soon }
}

/** Without these, only the directory knows how to serve. */
const hasSettings = (env: Env) => [...KEY_NAMES, "BASE_URL" as const].every((name) => env[name])

async function readStored(
  directory: D1Database,
): Promise<{ migrated?: string; BASE_URL?: string }> {
  const query = directory.prepare("select name, value from installation")
  const rows = await within(READS_WITHIN_MS, query.all<{ name: string; value: string }>()).catch(
    (error: Error) => {
      if (/no such table/.test(error.message)) return { results: [] }
      throw error
    },
  )
  return Object.fromEntries(rows.results.map(({ name, value }) => [name, value]))
}

interface Migrated {
  newest: string
  databases: number[]
}

/** Migrates the databases that lack something. False if one did not answer: its teams are not served, others are. */
async function migrateAll(env: Env, directory: D1Database, migrated = "{}"): Promise<boolean> {
  const noted = JSON.parse(migrated) as Partial<Migrated>
  const known = noted.newest === NEWEST ? (noted.databases ?? []) : []
  const all = databaseNumbers(env)
  const missing = all.filter((number) => !known.includes(number))
  if (missing.length === 0) return true
  const migrations = await readMigrations()
  let statements = 0
  let isPutOff = false
  const done: number[] = []
  const migrateOne = async (number: number) => {
    isPutOff ||= statements > MOST_STATEMENTS
    if (isPutOff) return
    const work = migrate(databaseEnv(env, number).DB, migrations)
    statements += 1 + (await within(MIGRATES_WITHIN_MS, work))
    done.push(number)
  }
  if (missing.includes(DIRECTORY)) await migrateOne(DIRECTORY)
  await mapLimit(
    missing.filter((number) => number !== DIRECTORY),
    AT_ONCE,
    (number) => migrateOne(number).catch((error) => logError(error, { database: number })),
  )
  const value: Migrated = { newest: NEWEST, databases: [...known, ...done] }
  await directory
    .prepare("insert or replace into installation (name, value) values ('migrated', ?)")
    .bind(JSON.stringify(value))
    .run()
  if (isPutOff) {
    throw retryLater("unavailable", "The databases are being prepared.", 1)
  }
  return done.length === missing.length
}
