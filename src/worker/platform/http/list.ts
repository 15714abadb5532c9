import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  lt,
  type Placeholder,
  type SQL,
} from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { firstIdAt, type IdKind, isId } from "../../../lib/id.ts"
import type { Ctx } from "../context.ts"
import { invalid } from "./errors.ts"
import { type CreatedRange, type Page, type PageQuery, readCursor, toPage } from "./page.ts"
import { inShare, lightRows, toLightPage } from "./pages/light-page.ts"

type Records = SQLiteTable & { teamId: SQLiteColumn; id: SQLiteColumn }

type RecordOf<T extends Records> = T["$inferSelect"] & { id: string }

/** A page of the team's records of one kind, newest first. */
export async function listRecords<T extends Records>(
  ctx: Ctx,
  table: T,
  kind: IdKind,
  query: PageQuery,
  where?: SQL,
): Promise<Page<RecordOf<T>>> {
  const isOnPage = and(where, isInRange(table.id, kind, query))
  const [rows] = await ctx.batch([selectPage(ctx, table, query, isOnPage)])
  return toPage(rows as RecordOf<T>[], query.limit, query.before)
}

/** The same for records with `large` columns, of which the first is never null when stored. */
export async function listLargeRecords<T extends Records>(
  ctx: Ctx,
  table: T,
  kind: IdKind,
  query: PageQuery,
  large: Record<string, SQLiteColumn>,
  where?: SQL,
): Promise<Page<RecordOf<T>>> {
  const isOnPage = and(where, isInRange(table.id, kind, query))
  const shared = inShare(large, query.limit)
  const [rows] = await ctx.batch([selectPage(ctx, table, query, isOnPage, shared)])
  const [first = ""] = Object.keys(large)
  const isWhole = (row: RecordOf<T>): row is RecordOf<T> => row[first] !== null
  const light = lightRows(rows as RecordOf<T>[], query.limit, isWhole, async ({ id }) => {
    const [found] = await ctx.batch([selectPage(ctx, table, query, eq(table.id, id))])
    return found as RecordOf<T>[]
  })
  return toLightPage(rows as RecordOf<T>[], query, await light)
}

/** One record more than the page has. `columns` replace those of the table with the same names. */
const selectPage = (
  ctx: Ctx,
  table: Records,
  query: PageQuery,
  where: SQL | undefined,
  columns: Record<string, SQL.Aliased> = {},
) =>
  ctx.db
    .select({ ...getTableColumns(table as SQLiteTable), ...columns })
    .from(table as SQLiteTable)
    .where(and(eq(table.teamId, ctx.team), where))
    .orderBy(pageOrder(table.id, query))
    .limit(query.limit + 1)

/**
 * A page starts below the last id of the previous page. With `before`, it starts above that id.
 * SQLite uses one bound of a side to find rows and reads all rows up to another one, so a range of
 * times and a cursor become one bound.
 */
export function readBounds(
  kind: IdKind,
  { cursor, before, since, until }: PageQuery & CreatedRange,
) {
  if (before !== undefined && !isId(kind, before)) throw invalid(["before"], "Malformed id")
  const last = before === undefined ? readCursor(kind, cursor) : undefined
  const end = until === undefined ? undefined : firstIdAt(kind, until)
  return {
    above: before,
    from: since === undefined ? undefined : firstIdAt(kind, since),
    below: last && end ? (last < end ? last : end) : (last ?? end),
  }
}

export const BOUNDS = ["above", "from", "below"] as const

type Bounds = { [Name in (typeof BOUNDS)[number]]?: string | Placeholder | undefined }

/** The bounds that are given, as values or as places of a statement. */
export const isWithin = (id: SQLiteColumn, { above, from, below }: Bounds) =>
  and(
    above === undefined ? undefined : gt(id, above),
    from === undefined ? undefined : gte(id, from),
    below === undefined ? undefined : lt(id, below),
  )

export const isInRange = (id: SQLiteColumn, kind: IdKind, query: PageQuery & CreatedRange) =>
  isWithin(id, readBounds(kind, query))

export const isBelow = (id: SQLiteColumn, below: string | undefined) =>
  below === undefined ? undefined : lt(id, below)

export const pageOrder = (id: SQLiteColumn, { before }: PageQuery) =>
  before === undefined ? desc(id) : asc(id)
