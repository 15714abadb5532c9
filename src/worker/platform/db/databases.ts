import { rememberFor } from "../../../lib/remember.ts"
import type { Work } from "../context.ts"
import type { Env } from "../env.ts"
import { createDb, type Db } from "./client.ts"

/** The first database has the people, and the database of each team that is in another one. */
export const DIRECTORY = 1

/** The number of the database that is this environment's `DB`. */
export const databaseNumber = ({ DATABASE = DIRECTORY }: Pick<Env, "DATABASE">): number => DATABASE

/** What a link or a message says of its database: nothing, if that is the directory. */
export const placeOf = ({ DATABASE }: Env) => (DATABASE === undefined ? {} : { database: DATABASE })

export const directoryOf = ({ DIRECTORY, DB }: Env): Db => createDb(DIRECTORY ?? DB)

/** The databases of the installation, the directory first. */
export const databaseNumbers = rememberFor((env: Env): number[] => {
  const others = Object.keys(env).flatMap((name) => {
    const number = /^DB_(\d+)$/.exec(name)?.[1]
    return number === undefined ? [] : [Number(number)]
  })
  return [DIRECTORY, ...others.sort((a, b) => a - b)]
})

export const hasOthers = (env: Env): boolean => databaseNumbers(env).length > 1

const environments = new WeakMap<Env, Map<number, Env>>()

/** The same environment with another database as its `DB`. */
export function databaseEnv(env: Env, number: number): Env {
  if (number === databaseNumber(env)) return env
  const known = environments.get(env) ?? new Map<number, Env>()
  environments.set(env, known)
  const scoped = known.get(number) ?? scope(env, number)
  known.set(number, scoped)
  return scoped
}

function scope({ DATABASE: _, DIRECTORY: given, ...env }: Env, number: number): Env {
  const directory = given ?? env.DB
  if (number === DIRECTORY) return { ...env, DB: directory }
  const database = env[`DB_${number}`]
  if (!database) throw new Error(`There is no database ${number}`)
  return { ...env, DB: database, DIRECTORY: directory, DATABASE: number }
}

/** The same work in another database. A call's own `batch` is left out: it asks the team's database. */
export function workIn(work: Work, number: number): Work {
  const env = databaseEnv(work.env, number)
  // `ctx.people` works in the directory, in the environment of the team.
  const isThere = env === work.env && (number === DIRECTORY || work.db !== work.directory)
  if (isThere) return work
  const { settings, directory, now, defer, detach } = work
  return { env, settings, db: createDb(env.DB), directory, now, defer, detach }
}

/** Thrown by the check of a credential: the team is in another database. */
export class WrongDatabase extends Error {
  override name = "WrongDatabase"
}
