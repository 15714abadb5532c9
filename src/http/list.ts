import { and, desc, eq, lt, type SQL } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../env.ts"
import type { IdKind } from "../lib/id.ts"
import { type Page, type PageQuery, readCursor, toPage } from "./page.ts"

type Records = SQLiteTable & { teamId: SQLiteColumn; id: SQLiteColumn }

/** A page of the team's records of one kind, newest first. */
export async function listRecords<T extends Records>(
  ctx: Ctx,
  table: T,
  kind: IdKind,
  { limit, cursor }: PageQuery,
  where?: SQL,
): Promise<Page<T["$inferSelect"] & { id: string }>> {
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(table as SQLiteTable)
      .where(and(eq(table.teamId, ctx.team), where, isBelow(table.id, readCursor(kind, cursor))))
      .orderBy(desc(table.id))
      .limit(limit + 1),
  ])
  return toPage(rows as (T["$inferSelect"] & { id: string })[], limit)
}

/** Newest first, a page starts below the last id of the page before. */
export const isBelow = (id: SQLiteColumn, below: string | undefined) =>
  below === undefined ? undefined : lt(id, below)
