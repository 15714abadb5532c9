import { timeOf } from "../../../lib/id.ts"
import type { Ctx } from "../../platform/context.ts"
import type { OutputOf } from "../../platform/http/endpoint.ts"
import { readBounds } from "../../platform/http/list.ts"
import type { CreatedRange } from "../../platform/http/page.ts"
import { COUNT_SCAN, type countEmails as contract, MAX_COUNT } from "./contract.ts"
import { namesOf, statementsFor } from "./list.sql.ts"
import { type EmailFilters, readFilters } from "./list-filters.ts"

/** Reads a bounded number of the newest emails that one of the filters finds. */
export async function countEmails(
  ctx: Ctx,
  query: EmailFilters & CreatedRange,
): Promise<OutputOf<typeof contract>> {
  const bounds = readBounds("email", { limit: MAX_COUNT, ...query })
  const filters = readFilters(query)
  if (!filters) return { count: 0, more: false }
  const given = { ...filters, ...bounds }
  if (query.q) {
    const { countFound } = await import("../word-index/search.ts")
    const search = { q: query.q, limit: MAX_COUNT, scan: COUNT_SCAN }
    const { count, end } = await countFound(ctx, given, search)
    return toCount(count, end)
  }
  const { count, isScan } = statementsFor(namesOf(given))
  const scan = isScan ? COUNT_SCAN : MAX_COUNT
  const [[row]] = await ctx.batch([count(ctx, { ...given, scan })])
  const { read, found, last } = row ?? { read: 0, found: 0, last: null }
  return toCount(found, read > scan ? last : null)
}

const toCount = (count: number, end: string | null | undefined) =>
  count > MAX_COUNT
    ? { count: MAX_COUNT, more: true }
    : { count, more: false, ...(end && { searchedUntil: timeOf(end) }) }
