import { type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { MIB } from "../input/body.ts"
import { type Page, type PageQuery, toPage } from "../page.ts"

/** The most bytes of the large columns of a page: a reply is in memory several times. */
export const MAX_PAGE_BYTES = 5 * MIB

/** Columns that are null in a record if together they have more bytes than its share of the page. */
export function inShare<C extends Record<string, SQLiteColumn>>(columns: C, limit: number) {
  const bytes = Object.values(columns).map((one) => sql`ifnull(octet_length(${one}), 0)`)
  const isLight = sql`${sql.join(bytes, sql` + `)} <= ${Math.floor(MAX_PAGE_BYTES / limit)}`
  const shared = Object.entries(columns).map(([name, column]) => [
    name,
    sql`iif(${isLight}, ${column}, null)`.mapWith(column).as(column.name),
  ])
  return Object.fromEntries(shared) as { [K in keyof C]: SQL.Aliased<C[K]["_"]["data"] | null> }
}

/**
 * The rows before the first large record. A large record is a page of its own, and `reload` reads it;
 * the list is empty if it has been deleted meanwhile. `length` counts the rows that the page passes.
 */
export async function lightRows<Row, Whole extends Row>(
  rows: readonly Row[],
  limit: number,
  isWhole: (row: Row) => row is Whole,
  reload: (row: Row) => Promise<readonly Whole[]>,
): Promise<{ data: readonly Whole[]; length: number }> {
  const [first] = rows
  const large = rows.findIndex((row) => !isWhole(row))
  const length = large === -1 ? limit : Math.min(limit, Math.max(large, 1))
  const data = large === 0 && first ? await reload(first) : rows.slice(0, length).filter(isWhole)
  return { data, length }
}

/** A page of a list with these light rows. */
export const toLightPage = <Row extends { id: string }>(
  rows: readonly { id: string }[],
  { before }: PageQuery,
  { data, length }: { data: readonly Row[]; length: number },
): Page<Row> => ({
  data: before === undefined ? [...data] : data.toReversed(),
  nextCursor: toPage(rows, length).nextCursor,
})
