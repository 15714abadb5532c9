import { getTableColumns, type SQL } from "drizzle-orm"
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core"

/**
 * Who owns the rows. Rows of a `team` are in its database, and are deleted and moved with it. The other
 * rows are in the directory: about teams (`directory`), of a `person`, or of the `installation`.
 */
type Owner = "team" | "directory" | "person" | "installation"

/**
 * How an erasure finds an address in a column, and what it does there. After a restore, the same columns
 * are compared with the erased addresses. `listed`: the column is an address, and an index begins with
 * the team and the column. In the others each row is read: a verb of its own erases what is `searched`,
 * the hash takes the place of an address that is `replaced`, and `deletes` deletes the row.
 */
type Found = "listed" | "searched" | "replaced" | "deletes" | ListedInside

/** As `listed`, for an address inside of a column: the index is on `value`, with this condition. */
export interface ListedInside {
  value: SQL
  condition: SQL
}

interface Rules<Column extends string> {
  addresses?: Partial<Record<Column, Found>>
  /** Other personal columns, or all: they are erased with an address that is found elsewhere. */
  along?: readonly Column[] | "all"
  /** Texts that an erasure leaves. Ids and states need not be here. */
  kept?: readonly Column[]
  /** A row may have tens of kilobytes. */
  isLarge?: boolean
  /** The rounds of a team's deletion leave these rows to another verb. */
  isDeletedApart?: boolean
  isLeftOutOfBackups?: boolean
}

/** What becomes of the rows of a table. */
export interface TableRows extends Rules<string> {
  table: SQLiteTable
  owner: Owner
}

export const rowsOf = <T extends SQLiteTable>(
  owner: Owner,
  table: T,
  rules: Rules<keyof T["_"]["columns"] & string> = {},
): TableRows => ({ table, owner, ...rules })

/** The column that names the team, if the table has one. */
export const teamColumn = (table: SQLiteTable): SQLiteColumn | undefined => columnsOf(table).teamId

/** The primary key without the team. */
export function keyInTeam(table: SQLiteTable): SQLiteColumn[] {
  const { columns, primaryKeys } = getTableConfig(table)
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  return key.filter((column) => column !== teamColumn(table))
}

export const columnsOf = (table: SQLiteTable) =>
  getTableColumns(table) as Record<string, SQLiteColumn>
