import { fillPlaceholders, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Ctx, Work } from "../env.ts"
import type { Query } from "./client.ts"

/** The values that a statement binds, by name. */
type Values<Name extends string = string> = Record<Name, string | number | null>

/** The places of the values in the text. */
export type Places<Name extends string> = Record<Name, Placeholder>

/** The caller's team as fixed text names it. `values` differ from call to call. */
export interface Scope {
  text: ScopeText
  values: Values
}

/** Made once for each kind of credential. */
export interface ScopeText {
  /** Selects the team's id. */
  team: SQL<string>
  /** Selects one row `team_id, permission, domain_id`: the caller. */
  callerRow: SQL
}

/** What drizzle's batch asks of a query; its types do not tell. */
interface Prepared {
  getQuery(): { sql: string; params: unknown[] }
  mapResult(result: unknown, isFromBatch: boolean): unknown
}
const prepare = (query: Query) => (query as unknown as { _prepare(): Prepared })._prepare()

/** Prepared text, with the values of one call, as a query of a batch. */
function fill<Q extends Query>({ db }: Work, prepared: Prepared, values: Values): Q {
  const { sql: text, params } = prepared.getQuery()
  const query = { sql: text, params: fillPlaceholders(params, values) }
  const filled = {
    stmt: db.$client.prepare(text),
    getQuery: () => query,
    mapResult: prepared.mapResult.bind(prepared),
  }
  return { _prepare: () => filled } as unknown as Q
}

const places = <Name extends string>() =>
  new Proxy({} as Places<Name>, {
    get: (_, name) => (typeof name === "string" ? sql.placeholder(name) : undefined),
  })

/**
 * A statement for batches whose text never changes. `build` runs once; each call only binds its
 * values.
 */
export function fixed<Name extends string, Q extends Query>(
  build: (db: Work["db"], places: Places<Name>) => Q,
): (work: Work, values: Values<Name>) => Q {
  let prepared: Prepared | undefined
  return (work, values) => {
    prepared ??= prepare(build(work.db, places<Name>()))
    return fill<Q>(work, prepared, values)
  }
}

/** The same for a statement that names the caller's team. `build` runs once a kind of credential. */
export function fixedOfTeam<Name extends string, Q extends Query>(
  build: (db: Work["db"], scope: ScopeText, places: Places<Name>) => Q,
): (ctx: Ctx, values: Values<Name>) => Q {
  const known = new WeakMap<ScopeText, Prepared>()
  return (ctx, values) => {
    const { text, values: own } = ctx.scope
    const prepared = known.get(text) ?? prepare(build(ctx.db, text, places<Name>()))
    known.set(text, prepared)
    return fill<Q>(ctx, prepared, { ...own, ...values })
  }
}
