import { is, Param, Placeholder, type SQLWrapper, sql } from "drizzle-orm"
import type { Ctx, ScopeText, Work } from "../context.ts"
import type { NamedQueries, Query } from "./client.ts"
import { columnsOf, valuesAs } from "./columns.ts"
import { type MapResult, type Prepared, rowReader } from "./row-reader.ts"

type Values<Name extends string = string> = Record<Name, string | number | null | undefined>

/** The places of the values in the text. */
export type Places<Name extends string> = Record<Name, Placeholder>

type CallerColumn = "team_id" | "permission" | "domain_id"

export const selectCaller = (row: Record<CallerColumn, SQLWrapper>, from = sql``) =>
  sql`select ${valuesAs(row)} ${from}`

/** The columns of `with caller as (callerRow)`. */
export const caller = columnsOf<CallerColumn>("caller")

/** The text of a statement, and how to bind its values and read its rows. */
interface Built {
  sql: string
  params: ((values: Values) => unknown)[]
  mapResult: MapResult
}

/** `_prepare` is what drizzle's own batch calls; its types hide it. */
function build(query: Query): Built {
  const prepared = (query as unknown as { _prepare(): Prepared })._prepare()
  const { sql, params } = prepared.getQuery()
  return {
    sql: sql.replace(/\s*\n\s*/g, " ").trim(),
    params: params.map(readParam),
    mapResult: rowReader(prepared),
  }
}

function readParam(param: unknown): Built["params"][number] {
  if (is(param, Placeholder)) return (values) => values[param.name]
  if (is(param, Param) && is(param.value, Placeholder)) {
    const { encoder, value } = param
    return (values) => encoder.mapToDriverValue(values[value.name])
  }
  return () => param
}

/** Built text with the values of one call, as a query of a batch. */
function fill<Q extends Query>({ db }: Work, { sql, params, mapResult }: Built, values: Values): Q {
  const query = { sql, params: params.map((read) => read(values)) }
  const prepared = { stmt: db.$client.prepare(sql), getQuery: () => query, mapResult }
  return { _prepare: () => prepared } as unknown as Q
}

export const places = <Name extends string>() =>
  new Proxy({} as Places<Name>, {
    get: (_, name) => (typeof name === "string" ? sql.placeholder(name) : undefined),
  })

/**
 * A statement for batches whose text never changes. `write` runs once; each call only binds its
 * values.
 */
export function fixed<Name extends string, Q extends Query>(
  write: (db: Work["db"], places: Places<Name>) => Q,
): (work: Work, values: Values<Name>) => Q {
  let built: Built | undefined
  return (work, values) => {
    built ??= build(write(work.db, places<Name>()))
    return fill<Q>(work, built, values)
  }
}

/** The same for the named queries of a batch. */
export function fixedQueries<Name extends string, Q extends NamedQueries>(
  write: (at: Pick<Work, "db">, places: Places<Name>) => Q,
): (work: Work, values: Values<Name>) => Q {
  let built: [string, Built | Built[]][] | undefined
  return (work, values) => {
    built ??= Object.entries(write({ db: work.db }, places<Name>())).map(([name, one]) => [
      name,
      Array.isArray(one) ? one.map(build) : build(one as Query),
    ])
    const filled = built.map(([name, one]) => [
      name,
      Array.isArray(one) ? one.map((each) => fill(work, each, values)) : fill(work, one, values),
    ])
    return Object.fromEntries(filled) as Q
  }
}

/** The same for a statement that names the caller's team. `write` runs once for each kind of credential. */
export function fixedOfTeam<Name extends string, Q extends Query>(
  write: (db: Work["db"], scope: ScopeText, places: Places<Name>) => Q,
): (ctx: Ctx, values: Values<Name>) => Q {
  const known = new WeakMap<ScopeText, Built>()
  return (ctx, values) => {
    const { text, values: own } = ctx.scope
    const built = known.get(text) ?? build(write(ctx.db, text, places<Name>()))
    known.set(text, built)
    return fill<Q>(ctx, built, { ...own, ...values })
  }
}
