import { jsonChunks } from "../../../lib/json.ts"
import { IS_OPEN, writeBehind } from "./fence.ts"
import type { Holder } from "./holder.ts"
import type { MovedTable } from "./tables.ts"

type Row = unknown[]

/** D1 binds 2 MB a value. */
const CHUNK_CHARACTERS = 400_000

const columnsOf = ({ columns }: MovedTable, alias = "") =>
  columns.map((column) => `${alias}"${column}"`).join(", ")

const list = (columns: readonly string[]) => `(${columns.join(", ")})`
const marks = (columns: readonly string[]) => `(${columns.map(() => "?").join(", ")})`

/** A condition, and its values: rows of the team behind a key. */
function isBehind({ team, key }: MovedTable, teamId: string, after: Row | null) {
  return after === null || key.length === 0
    ? { sql: `${team} = ?`, values: [teamId] }
    : { sql: `${team} = ? and ${list(key)} > ${marks(key)}`, values: [teamId, ...after] }
}

/** The next rows of a table in the order of its key: `part` is a condition in SQL. */
export function readPage(
  db: D1Database,
  table: MovedTable,
  { teamId, after, part }: { teamId: string; after: Row | null; part: string },
): Promise<Row[]> {
  const { sql, values } = isBehind(table, teamId, after)
  const order = table.key.length > 0 ? `order by ${table.key.join(", ")}` : ""
  return db
    .prepare(
      `select ${columnsOf(table)} from ${table.name} where ${sql} and ${part} ${order} limit ?`,
    )
    .bind(...values, table.rowsAPage)
    .raw<Row>()
}

export const keyOf = ({ key, columns }: MovedTable, row: Row): Row =>
  key.map((column) => row[columns.indexOf(column)])

/** The history rows that these keys name. */
export const selectByKeys = (db: D1Database, table: MovedTable, teamId: string, keys: string) =>
  db
    .prepare(
      `select ${columnsOf(table, "t.")} from json_each(?) x cross join ${table.name} t
       on t.${table.team} = ? ${table.key.map((column, at) => `and t.${column} = x.value ->> ${at}`).join(" ")}
       where not ${table.live}`,
    )
    .bind(keys, teamId)

export function deleteByKeys(db: D1Database, table: MovedTable, teamId: string, keys: string) {
  const { key, name, team } = table
  const isNamed =
    key.length === 0
      ? "exists (select 1 from json_each(?))"
      : `${list(key)} in (select ${key.map((_, at) => `value ->> ${at}`).join(", ")} from json_each(?))`
  return db
    .prepare(`delete from ${name} where ${team} = ? and ${isNamed} and ${IS_OPEN}`)
    .bind(teamId, keys, teamId)
}

const deletePart = (db: D1Database, table: MovedTable, teamId: string, part: string) =>
  db
    .prepare(`delete from ${table.name} where ${table.team} = ? and ${part} and ${IS_OPEN}`)
    .bind(teamId, teamId)

/**
 * A row that the target has from an earlier page is replaced, also where only a unique value is the
 * same: it has changed in the source since, and is copied again.
 */
export const insertRows = (
  db: D1Database,
  table: MovedTable,
  teamId: string,
  rows: readonly Row[],
  insert: "insert" | "insert or replace" = "insert or replace",
): D1PreparedStatement[] =>
  jsonChunks(rows, CHUNK_CHARACTERS).map((json) =>
    db
      .prepare(
        `${insert} into ${table.name} (${columnsOf(table)})
         select ${table.columns.map((_, at) => `value ->> ${at}`).join(", ")}
         from (select jsonb(value) as value from json_each(?) limit -1) where ${IS_OPEN}`,
      )
      .bind(json, teamId),
  )

/**
 * Copies the live rows of a table while nobody writes, in place of those of an earlier attempt. A row
 * of another team with the same unique value ends the move.
 */
export async function copyLiveRows(holder: Holder, table: MovedTable): Promise<void> {
  const { source, target, teamId } = holder
  let after: Row | null = null
  let first = [deletePart(target, table, teamId, table.live)]
  for (;;) {
    const rows: Row[] = await readPage(source, table, { teamId, after, part: table.live })
    const inserts = insertRows(target, table, teamId, rows, "insert")
    holder.spend(2 + first.length + inserts.length)
    if (first.length + inserts.length > 0) {
      await writeBehind(target, holder, [...first, ...inserts])
    }
    first = []
    const last = rows.at(-1)
    if (!last || rows.length < table.rowsAPage) return
    after = keyOf(table, last)
  }
}

/** Copies one page of a table's history, and answers the key of its last row. Null after the end. */
export async function copyHistoryPage(
  holder: Holder,
  table: MovedTable,
  after: Row | null,
): Promise<{ count: number; after: Row | null }> {
  const { source, target, teamId } = holder
  const rows = await readPage(source, table, { teamId, after, part: `not ${table.live}` })
  holder.spend(4)
  if (rows.length > 0) {
    await writeBehind(target, holder, insertRows(target, table, teamId, rows))
  }
  const last = rows.at(-1)
  const isEnd = !last || rows.length < table.rowsAPage
  return { count: rows.length, after: isEnd ? null : keyOf(table, last) }
}
