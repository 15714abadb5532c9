import type { BatchItem, BatchResponse } from "drizzle-orm/batch"
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1"
import { rememberFor } from "../../../lib/remember.ts"

export type Db = DrizzleD1Database<Record<string, never>> & { $client: D1Database }
export type Query = BatchItem<"sqlite">
export type Queries = readonly [Query, ...Query[]]
export type Results<Q extends Queries> = BatchResponse<Q>

/** Opens each binding once. */
export const createDb = rememberFor(wrap)

/**
 * Adds the `stmt` that drizzle's batch needs to bind parameters: in drizzle-orm 0.45, raw SQL lacks
 * it.
 */
function wrap(d1: D1Database): Db {
  const db = drizzle(d1) as Db
  const prepare = <Raw extends { getQuery(): { sql: string } }>(raw: Raw): Raw =>
    Object.assign(raw, { stmt: d1.prepare(raw.getQuery().sql) })
  const { run, all } = db
  db.run = (query) => prepare(run.call(db, query))
  db.all = <T>(query: Parameters<typeof all>[0]) =>
    prepare(all.call<Db, [typeof query], ReturnType<typeof all<T>>>(db, query))
  return db
}

/** Whether a statement failed on a unique value that another row has. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message.includes("UNIQUE constraint failed") || isTaken(error.cause))

type NamedQueries = Record<string, Query | readonly Query[]>
type ListResults<List extends readonly Query[]> = {
  [Index in keyof List]: List[Index]["_"]["result"]
}
type NamedResults<Q extends NamedQueries> = {
  [Name in keyof Q]: Q[Name] extends Query
    ? Q[Name]["_"]["result"]
    : Q[Name] extends readonly Query[]
      ? ListResults<Q[Name]>
      : never
}

/** One round trip. Each result has the name of its query, or of its list of queries. */
export async function namedBatch<Q extends NamedQueries>(
  runner: { batch(queries: Queries): Promise<unknown> },
  queries: Q,
): Promise<NamedResults<Q>> {
  const all = Object.values(queries).flat() as unknown as Queries
  const results = (await runner.batch(all)) as unknown[]
  return Object.fromEntries(
    Object.entries(queries).map(([name, one]) => [
      name,
      Array.isArray(one) ? results.splice(0, one.length) : results.shift(),
    ]),
  ) as NamedResults<Q>
}
