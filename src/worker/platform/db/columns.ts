import {
  type Column,
  getTableColumns,
  getTableName,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"

/** Columns as RETURNING takes them, without their table: `team_id as "teamId"`. */
export const columnsAs = (columns: Record<string, Column>) =>
  list(
    Object.entries(columns).map(
      ([name, column]) => sql`${sql.identifier(column.name)} as ${sql.identifier(name)}`,
    ),
  )

type Value = SQLWrapper | string | number | null
export type ValuesOf<T extends SQLiteTable> = { [Name in keyof T["$inferInsert"]]: Value }

/** Columns without their table, as conflict targets take them: `(team_id, id)`. */
export const keyOf = (...columns: Column[]): SQL =>
  sql`(${list(columns.map(({ name }) => sql.identifier(name)))})`

export const excluded = ({ name }: Column): SQL => sql`excluded.${sql.identifier(name)}`

/**
 * Inserts the values of each row that `from` finds: `insert into … (…) with … select … from …`. The
 * values have the names of their columns.
 */
export const insertInto = <T extends SQLiteTable>(
  table: T,
  values: ValuesOf<T>,
  from: SQL = sql``,
  { tables = sql`` }: { tables?: SQL } = {},
): SQL => sql`
  insert into ${sql.raw(getTableName(table))} (${list(namesOf(table, values))}) ${tables}
  select ${list(Object.values<Value>(values).map((value) => sql`${value}`))} ${from}`

/** The list after `update … set`. */
export const assigned = <T extends SQLiteTable>(table: T, values: Partial<ValuesOf<T>>): SQL => {
  const names = namesOf(table, values)
  return list(Object.values(values).map((value, index) => sql`${names[index]} = ${value}`))
}

function namesOf<T extends SQLiteTable>(table: T, values: Partial<ValuesOf<T>>): SQL[] {
  const columns = getTableColumns(table) as Record<string, Column>
  return Object.keys(values).map((name) => sql`${sql.identifier((columns[name] as Column).name)}`)
}

/** The columns of a computed table, such as `with new_events as (…)`. Another name does not compile. */
export const columnsOf = <Name extends string>(table: string) =>
  new Proxy({} as Record<Name, SQL>, {
    get: (_, name) => (typeof name === "string" ? sql.raw(`${table}.${name}`) : undefined),
  })

/** A computed table: its columns, and its `head` in `with head as …`, which names them. */
export const computedTable = <const Name extends string>(table: string, columns: Name[]) => ({
  head: sql.raw(`${table} (${columns.join(", ")})`),
  ...(Object.fromEntries(columns.map((name) => [name, sql.raw(`${table}.${name}`)])) as Record<
    Name,
    SQL
  >),
})

/** The values of a computed table, with the names of its columns. */
export const valuesAs = (values: Record<string, SQLWrapper>): SQL =>
  list(Object.entries(values).map(([name, value]) => sql`${value} as ${sql.raw(name)}`))

const list = (parts: SQLWrapper[]) => sql.join(parts, sql`, `)
