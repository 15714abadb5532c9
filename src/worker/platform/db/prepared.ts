import { Column, is, Param, Placeholder, SQL, sql } from "drizzle-orm"
import type { Ctx, ScopeText, Work } from "../context.ts"
import type { Statement, WithAfterCommit } from "./commit.ts"

type Values<Name extends string = string> = Record<Name, string | number | null | undefined>

export type Placeholders<Name extends string> = Record<Name, Placeholder>

/** The places of values in the text of a prepared statement. */
export const placeholders = <Name extends string>() =>
  new Proxy({} as Placeholders<Name>, {
    get: (_, name) => (typeof name === "string" ? sql.placeholder(name) : undefined),
  })

type NamedStatements = Record<string, Statement | readonly Statement[]>

/**
 * A statement for batches, or several with names, whose text never changes: `write` runs once, and
 * each call only binds its values. With `scope`, the statement names the caller's team, and `write`
 * runs once for each kind of credential.
 */
export function prepared<
  Name extends string,
  Q extends Statement | NamedStatements,
  S extends [] | [scope: ScopeText],
>(write: (db: Work["db"], p: Placeholders<Name>, ...scope: S) => Q) {
  const built = new WeakMap<object, Bind>()
  return (at: S extends [] ? Work : Ctx, values: Values<Name>): Q => {
    const scope = "scope" in at ? at.scope : undefined
    const key = scope?.text ?? write
    const bind =
      built.get(key) ?? build(write(at.db, placeholders<Name>(), ...([scope?.text] as S)))
    built.set(key, bind)
    return bind(at, { ...scope?.values, ...values }) as Q
  }
}

/** Makes the queries of one call. */
type Bind = (work: Work, values: Values) => unknown

function build(queries: Statement | readonly Statement[] | NamedStatements): Bind {
  if (Array.isArray(queries)) {
    const list = queries.map(build)
    return (work, values) => list.map((bind) => bind(work, values))
  }
  if (isQuery(queries)) return buildQuery(queries)
  if (isFollowed(queries)) {
    const bind = build(queries.query)
    return (work, values) => ({ ...queries, query: bind(work, values) })
  }
  const named = Object.entries(queries).map(([name, one]) => [name, build(one)] as const)
  return (work, values) =>
    Object.fromEntries(named.map(([name, bind]) => [name, bind(work, values)]))
}

/** drizzle's own batch calls `_prepare` of its queries. The types of drizzle hide it. */
interface BatchQuery {
  _prepare(): PreparedQuery & { stmt?: D1PreparedStatement }
}

const isQuery = (one: object): one is BatchQuery => "_prepare" in one

const isFollowed = (one: object): one is WithAfterCommit => "follow" in one

function buildQuery(query: BatchQuery): (work: Work, values: Values) => BatchQuery {
  const written = query._prepare()
  const text = written
    .getQuery()
    .sql.replace(/\s*\n\s*/g, " ")
    .trim()
  const params = written.getQuery().params.map(readParam)
  const mapResult = rowReader(written)
  return ({ db }, values) => {
    const bound = { sql: text, params: params.map((read) => read(values)) }
    const one = { stmt: db.$client.prepare(text), getQuery: () => bound, mapResult }
    return { _prepare: () => one }
  }
}

function readParam(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name]
  if (is(param, Param) && is(param.value, Placeholder)) {
    const { encoder, value } = param
    return (values) => encoder.mapToDriverValue(values[value.name])
  }
  return () => param
}

type Row = Record<string, unknown>

/** Reads what D1 answers to a query of a batch. */
type MapResult = (result: { results: Row[] }, isFromBatch: boolean) => unknown

/** The parts of drizzle's prepared query that its types hide. */
interface PreparedQuery {
  getQuery(): { sql: string; params: unknown[] }
  mapResult: MapResult
  /** The selected fields in their order; absent for raw SQL. */
  fields?: { path: string[]; field: Field }[]
}

interface Decoder {
  mapFromDriverValue(value: unknown): unknown
}
type DecodedSql = SQL & { decoder: Decoder }
type Field = Column | DecodedSql | { sql: DecodedSql }

/**
 * drizzle looks at the kind of every field in every row. This reader looks once for each query: a
 * page of emails has 364 fields.
 */
function rowReader(prepared: PreparedQuery): MapResult {
  const { fields } = prepared
  const isFlat = fields?.every(({ path }) => path.length === 1)
  if (!fields || !isFlat) return prepared.mapResult.bind(prepared)
  const members = fields.map(({ path: [name = ""], field }) => {
    const decoder = decoderOf(field)
    return { name, decode: decoder.mapFromDriverValue.bind(decoder) }
  })
  return ({ results }) =>
    results.map((row) => {
      const read: Row = {}
      const values = Object.values(row)
      for (const [index, { name, decode }] of members.entries()) {
        const value = values[index]
        read[name] = value === null ? null : decode(value)
      }
      return read
    })
}

function decoderOf(field: Field): Decoder {
  if (is(field, Column)) return field
  return is(field, SQL) ? field.decoder : field.sql.decoder
}
