import { and, desc, eq } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { readBounds } from "../../platform/http/list.ts"
import { type CreatedRange, type PageQuery, toPage } from "../../platform/http/page.ts"
import { afterScan, SCAN_LIMIT, type SearchedPage } from "../../platform/http/scan.ts"
import type { Email } from "../contract.ts"
import { emails } from "../table.ts"
import { type EmailAndId, toEmail } from "../view.ts"
import { namesOf, statementsFor } from "./list.sql.ts"
import { type EmailFilters, readFilters } from "./list-filters.ts"

export async function listEmails(
  ctx: Ctx,
  query: EmailFilters & CreatedRange & PageQuery,
  scan = SCAN_LIMIT,
): Promise<SearchedPage<EmailAndId>> {
  const bounds = readBounds("email", query)
  const filters = readFilters(query)
  if (!filters) return { data: [], nextCursor: null }
  const given = { ...filters, ...bounds }
  if (query.q) {
    const { searchEmails } = await import("../word-index/search.ts")
    const page = await searchEmails(ctx, given, { q: query.q, limit: query.limit, scan })
    return { ...page, data: page.data.map(toEmail) }
  }
  const { limit, before } = query
  const values = { ...given, limit, size: limit + 1, scan }
  const { selectPage, endOfScan } = statementsFor(namesOf(given))
  const page = selectPage(ctx, values)
  const [rows, end] = await ctx.batch(endOfScan ? [page, endOfScan(ctx, values)] : [page])
  const { data, nextCursor } = toPage(rows, limit, before)
  return afterScan({ data: data.map(toEmail), nextCursor }, end, limit)
}

export async function readEmails(ctx: Ctx, ids: readonly string[]): Promise<{ data: Email[] }> {
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(emails)
      .where(and(eq(emails.teamId, ctx.team), isOneOf(emails.id, ids)))
      .orderBy(desc(emails.id)),
  ])
  return { data: rows.map(toEmail) }
}
