import { jsonChunks } from "../../../lib/json.ts"
import { DIRECTORY } from "../../platform/db/databases.ts"
import { IS_OPEN, writeBehind } from "./fence.ts"
import type { Holder } from "./holder.ts"
import { isOfPeople, MOVED_TABLES, type MovedTable } from "./tables.ts"

type Row = unknown[]

interface Page {
  rows: Row[]
  /** The keys of the last row before it, and of its own last row. Null at the ends of the table. */
  after: Row | null
  last: Row | null
}

interface Copied {
  count: number
  last: Row | null
  /** Null if the target has the rows of the page, and no others. */
  difference: string | null
}

/** D1 binds 2 MB a value. */
const CHUNK_CHARACTERS = 400_000

const columnsOf = ({ columns }: MovedTable) => columns.map((column) => `"${column}"`).join(", ")

/** A condition on the rows of a page, and its values. */
function isBetween({ team, key }: MovedTable, teamId: string, { after, last }: Omit<Page, "rows">) {
  const compare = (sign: string, values: Row | null) =>
    values ? ` and (${key.join(", ")}) ${sign} (${key.map(() => "?").join(", ")})` : ""
  return {
    sql: `${team} = ?${compare(">", after)}${compare("<=", last)}`,
    values: [teamId, ...(after ?? []), ...(last ?? [])],
  }
}

/**
 * Copies the pages of a table that are left. Answers how the target differs: null if it does not,
 * undefined if the budget ends before.
 */
export async function copyTable(holder: Holder, table: MovedTable) {
  const at = MOVED_TABLES.indexOf(table)
  for (;;) {
    if (!holder.hasBudget()) return undefined
    const { position } = holder.row()
    const after = position?.table === at ? position.after : null
    const { count, last, difference } = await copyPage(holder, table, after)
    if (difference !== null) return difference
    await holder.storePosition(last ? at : at + 1, last, count)
    if (!last) return null
  }
}

/** Copies the page of a table behind a key, and counts it in the target. */
async function copyPage(holder: Holder, table: MovedTable, after: Row | null): Promise<Copied> {
  const { target, teamId } = holder
  const { rows, last } = await readPage(holder, table, after)
  const inserts = insertRows(target, table, teamId, rows)
  const { sql, values } = isBetween(table, teamId, { after, last })
  const count = target
    .prepare(`select count(*) as rows from ${table.name} where ${sql}`)
    .bind(...values)
  holder.spend(inserts.length + 4)
  const results = await writeBehind(target, holder, [...inserts, count])
  const [counted] = (results.at(-1)?.results ?? []) as { rows: number }[]
  const found = counted?.rows ?? 0
  const mayHaveMore = isOfPeople(table, holder.row().target === DIRECTORY)
  const isSame = mayHaveMore ? found >= rows.length : found === rows.length
  return {
    count: rows.length,
    last,
    difference: isSame
      ? null
      : `${table.name} has ${rows.length} rows in the source and ${found} in the target`,
  }
}

/** The next rows of a table in the order of its key. */
async function readPage(
  { source, teamId }: Holder,
  table: MovedTable,
  after: Row | null,
): Promise<Page> {
  const { name, key, columns, rowsAPage } = table
  const { sql, values } = isBetween(table, teamId, { after, last: null })
  const order = key.length > 0 ? `order by ${key.join(", ")}` : ""
  const rows = await source
    .prepare(`select ${columnsOf(table)} from ${name} where ${sql} ${order} limit ${rowsAPage}`)
    .bind(...values)
    .raw<Row>()
  const end = rows.length < rowsAPage ? undefined : rows.at(-1)
  return { rows, after, last: end ? key.map((column) => end[columns.indexOf(column)]) : null }
}

/**
 * A page whose answer was lost is copied again, and nobody has changed it. A row whose unique value
 * another team has is not copied, so the count differs.
 */
const insertRows = (
  db: D1Database,
  table: MovedTable,
  teamId: string,
  rows: readonly Row[],
): D1PreparedStatement[] =>
  jsonChunks(rows, CHUNK_CHARACTERS).map((json) =>
    db
      .prepare(
        `insert or ignore into ${table.name} (${columnsOf(table)})
         select ${table.columns.map((_, at) => `value ->> ${at}`).join(", ")}
         from (select jsonb(value) as value from json_each(?) limit -1) where ${IS_OPEN}`,
      )
      .bind(json, teamId),
  )
