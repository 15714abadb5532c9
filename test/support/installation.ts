import { env } from "cloudflare:workers"
import { DIRECTORY, databaseEnv, databaseNumbers } from "../../src/worker/platform/db/databases.ts"
import type { Env } from "../../src/worker/platform/env.ts"

/** The database of people. `env.DB` has the teams of the test, and may be another one. */
export const directory = env.DIRECTORY ?? env.DB

export const databasesOf = (env: Env): D1Database[] =>
  databaseNumbers(env).map((number) => databaseEnv(env, number).DB)

/** What the Worker's handlers get. A given `DB` takes the place of the database of the test's teams. */
export function workerEnv({ DB = env.DB, ...settings }: Partial<Env> = {}): Env {
  if (env.DATABASE === undefined) return { ...env, ...settings, DB }
  return databaseEnv({ ...env, ...settings, [`DB_${env.DATABASE}`]: DB }, DIRECTORY)
}

/** The call of a person looks into the directory first, if the team is in another database. */
export const PERSON_ROUND_TRIPS = env.DATABASE === undefined ? 0 : 1

/** A link names the database where its team was, and the page first looks whether it is there. */
export const LINK_ROUND_TRIPS = env.DATABASE === undefined ? 0 : 1
