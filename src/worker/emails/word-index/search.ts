import type { Ctx } from "../../platform/context.ts"
import type { readBounds } from "../../platform/http/list.ts"
import { parseCursor, toPage } from "../../platform/http/page.ts"
import { afterScan, endingAt, type SearchedPage } from "../../platform/http/scan.ts"
import type { readFilters } from "../list/list-filters.ts"
import { namesOf, statementsFor } from "../list/list-sql.ts"
import type { ShownEmail } from "../view.ts"
import { findByWords } from "./find.ts"
import { wordsOf } from "./words.ts"
import { hasWords } from "./words-of-email.ts"

type Given = NonNullable<ReturnType<typeof readFilters>> & ReturnType<typeof readBounds>

interface Search {
  q: string
  limit: number
  scan: number
}

/** Filters with an index that finds few emails: they are read, and their words compared. */
const SELECTIVE = ["to", "exactTag", "campaignId", "rareStatus", "rareStatuses"] as const

export function searchEmails(
  ctx: Ctx,
  given: Given,
  { q, ...search }: Search,
): Promise<SearchedPage<ShownEmail>> {
  const words = [...new Set(wordsOf(q))]
  const isSelective = SELECTIVE.some((name) => given[name] !== undefined)
  return isSelective
    ? filterByWords(ctx, given, { words, ...search })
    : readFound(ctx, given, { words, ...search })
}

type WordSearch = Omit<Search, "q"> & { words: readonly string[] }

/** One round trip. */
async function filterByWords(ctx: Ctx, given: Given, { words, limit, scan }: WordSearch) {
  const values = { ...given, limit: scan, size: scan + 1, scan }
  const { selectPage, endOfScan } = statementsFor(namesOf(given))
  const page = selectPage(ctx, values)
  const [rows, end] = await ctx.batch(endOfScan ? [page, endOfScan(ctx, values)] : [page])
  const { data, nextCursor } = afterScan(toPage(rows, scan), end, scan)
  const matches = data.filter((email) => hasWords(email, words))
  const lookedDownTo = parseCursor(nextCursor ?? undefined, (id) => id)
  return endingAt(toPage(matches, limit), lookedDownTo, limit)
}

/** Two round trips, the second one only if there are matches. */
async function readFound(ctx: Ctx, given: Given, { words, limit, scan }: WordSearch) {
  const { above: _, from, below, ...filters } = given
  const isFiltered = namesOf(filters) !== ""
  const most = isFiltered ? scan : limit + 1
  const { ids, end } = await findByWords(ctx, { words, from, below, most, scan })
  if (ids.length === 0) return endingAt<ShownEmail>({ data: [], nextCursor: null }, end, limit)
  const found = { ...filters, ids: JSON.stringify(ids) }
  const { selectPage } = statementsFor(namesOf(found))
  const [rows] = await ctx.batch([
    selectPage(ctx, { ...found, limit, size: limit + 1, scan: ids.length }),
  ])
  return endingAt(toPage(rows, limit), end, limit)
}
