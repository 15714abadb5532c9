import { and, asc, desc, eq, getTableColumns, gt, lt, type SQL } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../env.ts"
import { type IdKind, isId } from "../lib/id.ts"
import { invalid } from "./errors.ts"
import { inShare, toLightPage } from "./light-page.ts"
import { type Page, type PageQuery, readCursor, toPage } from "./page.ts"

type Records = SQLiteTable & { teamId: SQLiteColumn; id: SQLiteColumn }

/** A page of the team's records of one kind, newest first. */
export async function listRecords<T extends Records>(
  ctx: Ctx,
  table: T,
  kind: IdKind,
  query: PageQuery,
  where?: SQL,
): Promise<Page<T["$inferSelect"] & { id: string }>> {
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(table as SQLiteTable)
      .where(and(eq(table.teamId, ctx.team), where, isInWalk(table.id, kind, query)))
      .orderBy(inWalk(table.id, query))
      .limit(query.limit + 1),
  ])
  return toPage(rows as (T["$inferSelect"] & { id: string })[], query.limit, query.before)
}

/**
 * The same for records with large columns, of which the first is never null. A large record is a page
 * of its own.
 */
export async function listLargeRecords<T extends Records>(
  ctx: Ctx,
  table: T,
  kind: IdKind,
  query: PageQuery,
  large: Record<string, SQLiteColumn>,
): Promise<Page<T["$inferSelect"] & { id: string }>> {
  type Row = T["$inferSelect"] & { id: string }
  const columns = getTableColumns(table as SQLiteTable)
  const ofTeam = eq(table.teamId, ctx.team)
  const [rows] = await ctx.batch([
    ctx.db
      .select({ ...columns, ...inShare(large, query.limit) })
      .from(table as SQLiteTable)
      .where(and(ofTeam, isInWalk(table.id, kind, query)))
      .orderBy(inWalk(table.id, query))
      .limit(query.limit + 1),
  ])
  const [first = ""] = Object.keys(large)
  const isWhole = (row: Row): row is Row => row[first] !== null
  return toLightPage(rows as Row[], query, isWhole, async (id) => {
    const isRecord = and(ofTeam, eq(table.id, id))
    const one = ctx.db.select(columns).from(table as SQLiteTable)
    const [found] = await ctx.batch([one.where(isRecord)])
    return found as Row[]
  })
}

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
