import { type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { timeOf } from "../../../lib/id.ts"
import type { Db } from "../db/client.ts"
import { type Page, writeCursor } from "./page.ts"

/** How many records a page reads at most to find those that a filter without an index matches. */
export const SCAN_LIMIT = 1_000

/**
 * If few records match, the next page starts below the last one that was read. `scanned` reads one
 * record more than the limit, `page` selects up to `limit + 1` of those that match.
 */
export const selectEndOfScan = (
  db: Db,
  scanned: SQLWrapper,
  page: SQLWrapper,
  limit: number | Placeholder,
  scan: number | Placeholder = SCAN_LIMIT,
) =>
  db.all<{ id: string }>(sql`
    select id from (${scanned})
    limit iif((select count(*) from (${page})) <= ${limit}, 2, 0) offset ${scan} - 1`)

/** SQLite nests expressions 100 deep. */
const MAX_FOLDED = 64

/** Whether a text has the part, whatever the case. SQLite folds only the letters of ASCII itself. */
export function hasPart(text: SQLWrapper, part: string): SQL {
  const folded = new Map<string, string>()
  for (const letter of part)
    for (const form of [letter, letter.toUpperCase()])
      if (/^\P{ASCII}+$/u.test(form) && form !== letter.toLowerCase())
        folded.set(form, letter.toLowerCase())
  const lower = [...folded]
    .slice(0, MAX_FOLDED)
    .reduce(
      (lowered, [from, to]) =>
        sql`replace(${lowered}, ${sql.raw(`'${from}'`)}, ${sql.raw(`'${to}'`)})`,
      sql`lower(${text})`,
    )
  return sql`instr(${lower}, ${[...part].map((letter) => letter.toLowerCase()).join("")}) > 0`
}

export interface SearchedPage<T> extends Page<T> {
  /** How far back a page has looked that is not full, and could not look at everything. */
  searchedUntil?: number
}

export function afterScan<T>(
  page: Page<T>,
  [last, more]: readonly { id: string }[] = [],
  limit: number,
): SearchedPage<T> {
  return endingAt(page, more && last?.id, limit)
}

/** `end` is the id that a search looked down to. Undefined if it has looked at everything. */
export function endingAt<T>(
  page: Page<T>,
  end: string | undefined,
  limit: number,
): SearchedPage<T> {
  if (page.nextCursor !== null || end === undefined) return page
  const isFull = page.data.length === limit
  return {
    ...page,
    nextCursor: writeCursor(end),
    ...(!isFull && { searchedUntil: timeOf(end) }),
  }
}
