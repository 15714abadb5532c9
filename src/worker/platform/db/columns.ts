import {
  type Column,
  getTableColumns,
  getTableName,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"

/** The columns of a select or of RETURNING, with their names: `"team_id" as "teamId"`. */
export const resultColumns = (columns: Record<string, SQLWrapper>): SQL =>
  list(Object.entries(columns).map(([name, value]) => sql`${value} as ${sql.identifier(name)}`))

type Value = SQLWrapper | string | number | null
export type ValuesOf<T extends SQLiteTable> = { [Name in keyof T["$inferInsert"]]: Value }

/** The value that an insert could not store, for `on conflict do update`. */
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
export const assignments = <T extends SQLiteTable>(table: T, values: Partial<ValuesOf<T>>): SQL => {
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

const list = (parts: SQLWrapper[]) => sql.join(parts, sql`, `)
