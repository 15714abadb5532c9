import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import type { Db } from "../platform/db/client.ts"
import { keyInTeam, teamColumn } from "../platform/db/rows.ts"

const ROWS_READ = 5_000
const ROWS_A_PAGE = 2_000
const LARGE_ROWS_A_PAGE = 20

/** Columns of a table in which addresses stand. */
export interface Texts {
  table: SQLiteTable
  columns: readonly SQLiteColumn[]
  isLarge?: boolean | undefined
}

export interface TextRow {
  key: string[]
  texts: (string | null)[]
}

interface Read {
  teamId: string
  /** The key of the last row of the page before. */
  after: readonly (string | SQL)[]
  condition: SQL
}

interface FoundRow {
  key: string
  texts: string
  meets: number
  number: number
}

export const readTexts = async (db: Db, texts: Texts, read: Read) =>
  toPage(texts, await selectTexts(db, texts, read))

/** For `toPage`: the team's rows that meet a condition. A table without a team is read whole. */
export function selectTexts(db: Db, texts: Texts, { teamId, after, condition }: Read) {
  const { table, columns } = texts
  const team = teamColumn(table)
  const columnsOfKey = keyInTeam(table)
  const key = list(columnsOfKey)
  const from = list(columnsOfKey.map((_, at) => sql`${after[at] ?? ""}`))
  return db.all<FoundRow>(sql`
    select * from (
      select *, row_number() over () as number from (
        select json_array(${key}) as key, json_array(${list(columns)}) as texts, ${condition} as meets
        from ${table} where ${team ? sql`${team} = ${teamId}` : sql`true`} and (${key}) > (${from})
        order by ${key} limit +${ROWS_READ}))
    where meets or number = ${ROWS_READ} order by number limit +${rowsAPage(texts)}`)
}

/** A page in the order of the key. `last` is where the next page begins, or null. */
export function toPage(texts: Texts, found: readonly FoundRow[]) {
  const end = found.at(-1)
  const hasMore = end && (found.length === rowsAPage(texts) || end.number === ROWS_READ)
  return {
    rows: found
      .filter(({ meets }) => meets)
      .map(({ key, texts }): TextRow => ({ key: JSON.parse(key), texts: JSON.parse(texts) })),
    last: hasMore ? (JSON.parse(end.key) as string[]) : null,
  }
}

const rowsAPage = ({ isLarge }: Texts) => (isLarge ? LARGE_ROWS_A_PAGE : ROWS_A_PAGE)

const list = (parts: readonly SQLWrapper[]) => sql.join([...parts], sql`, `)
