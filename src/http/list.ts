import { and, asc, desc, eq, getTableColumns, gt, lt, type SQL } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../env.ts"
import { type IdKind, isId } from "../lib/id.ts"
import { invalid } from "./errors.ts"
import { inShare, lightRows, toLightPage } from "./light-page.ts"
import { type Page, type PageQuery, readCursor, toPage } from "./page.ts"

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
  const isOnPage = and(where, isInWalk(table.id, kind, query))
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
): Promise<Page<RecordOf<T>>> {
  const isOnPage = isInWalk(table.id, kind, query)
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
    .orderBy(inWalk(table.id, query))
    .limit(query.limit + 1)

/** A page starts below the last id of the previous page. With `before`, it starts above that id. */
export function readWalk(kind: IdKind, { cursor, before }: PageQuery) {
  if (before !== undefined && !isId(kind, before)) throw invalid(["before"], "Malformed id")
  return { above: before, below: before === undefined ? readCursor(kind, cursor) : undefined }
}

export function isInWalk(id: SQLiteColumn, kind: IdKind, query: PageQuery) {
  const { above, below } = readWalk(kind, query)
  return above === undefined ? isBelow(id, below) : gt(id, above)
}

export const isBelow = (id: SQLiteColumn, below: string | undefined) =>
  below === undefined ? undefined : lt(id, below)

export const inWalk = (id: SQLiteColumn, { before }: PageQuery) =>
  before === undefined ? desc(id) : asc(id)
