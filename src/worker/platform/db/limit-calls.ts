import type { Work } from "../context.ts"
import type { Env } from "../env.ts"
import { createDb } from "./client.ts"
import { directoryOf } from "./databases.ts"

/** Thrown by a call over the limit. What the call belongs to can be repeated. */
export class CallsSpent extends Error {
  override name = "CallsSpent"
  readonly retryable = true

  constructor() {
    super("The invocation has made its calls of the database")
  }
}

const CALLS = ["run", "all", "raw", "first"] as const

/**
 * The same work, whose databases answer `most` calls in all and refuse the rest. Whatever runs at the
 * same time shares them, a call at a time.
 */
export function limitCalls(work: Work, most: number): { work: Work; isSpent(): boolean } {
  let left = most
  const spend = async <T>(call: () => Promise<T>): Promise<T> => {
    if (left <= 0) throw new CallsSpent()
    left--
    return call()
  }

  function limitStatement(statement: D1PreparedStatement): D1PreparedStatement {
    const bind = statement.bind.bind(statement)
    const calls = CALLS.map((name) => {
      const call = statement[name].bind(statement) as (...args: unknown[]) => Promise<unknown>
      return [name, (...args: unknown[]) => spend(() => call(...args))]
    })
    // A batch takes the binding's own statements only.
    return Object.assign(statement, {
      ...Object.fromEntries(calls),
      bind: (...values: unknown[]) => limitStatement(bind(...values)),
    })
  }

  const limited = new Map<D1Database, D1Database>()
  function limitDatabase(db: D1Database): D1Database {
    const known = limited.get(db)
    if (known) return known
    const one = {
      prepare: (text: string) => limitStatement(db.prepare(text)),
      batch: <T>(statements: D1PreparedStatement[]) => spend(() => db.batch<T>(statements)),
    } as D1Database
    limited.set(db, one)
    return one
  }

  const isDatabase = (name: string) => /^(DB(_\d+)?|DIRECTORY)$/.test(name)
  const env = Object.fromEntries(
    Object.entries(work.env).map(([name, bound]) => [
      name,
      bound && isDatabase(name) ? limitDatabase(bound as D1Database) : bound,
    ]),
  ) as unknown as Env
  return {
    work: { ...work, env, db: createDb(env.DB), directory: directoryOf(env) },
    isSpent: () => left <= 0,
  }
}
