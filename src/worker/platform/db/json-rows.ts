import { type Column, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { jsonChunks } from "../../../lib/json.ts"

/** The members of a row, each as SQL. */
type Members<Row> = { readonly [Name in keyof Row & string]-?: SQL<Row[Name]> }

/**
 * The members of rows of JSON that a statement reads with `json_each(…) x`: `x.lastError` is
 * `x.value ->> 'lastError'`, a text or a number. A name that the row lacks does not compile.
 */
export const membersOf = <Row extends object>(alias = "x"): Members<Row> => read(alias, "->>")

/** The same for members that are objects or lists: `x.data` is `x.value -> 'data'`, JSON. */
export const jsonMembersOf = <Row extends object>(alias = "x"): Members<Row> => read(alias, "->")

/** Rows as one parameter, since D1 binds 100 of them: the table `json_each(…) x`. */
export const jsonRows = <Row extends object>(rows: readonly Row[] | SQLWrapper, alias = "x"): SQL =>
  sql`json_each(${Array.isArray(rows) ? JSON.stringify(rows) : rows}) ${sql.raw(alias)}`

/**
 * The same for rows that a statement reads by many members: JSON as text would be parsed for each.
 * The limit keeps SQLite from merging the query into the one around.
 */
export const jsonbRows = (rows: SQLWrapper, alias = "x"): SQL =>
  sql`(select jsonb(value) as value from json_each(${rows}) limit -1) ${sql.raw(alias)}`

/** The same for any number of rows: D1 binds 2 MB a value. */
export const jsonRowChunks = <Row extends object>(rows: readonly Row[]): SQL[] =>
  jsonChunks(rows).map((chunk) => sql`json_each(${chunk}) x`)

/** A condition: the expression is one of these values, which are one parameter. */
export const isOneOf = (value: SQLWrapper, values: readonly string[] | SQLWrapper): SQL =>
  sql`${value} in (select value from json_each(${Array.isArray(values) ? JSON.stringify(values) : values}))`

/** Columns as an object of JSON, under the names of the properties. */
export const jsonObject = (columns: Record<string, Column>): SQL =>
  sql`json_object(${sql.join(
    Object.entries(columns).map(
      ([name, column]) =>
        sql`${sql.raw(`'${name}'`)}, ${column.dataType === "json" ? sql`json(${column})` : column}`,
    ),
    sql`, `,
  )})`

/** Names come from the code, never from a caller. */
const read = <Row>(alias: string, operator: "->" | "->>") =>
  new Proxy({} as Members<Row>, {
    get: (_, name) =>
      typeof name === "string" ? sql.raw(`${alias}.value ${operator} '${name}'`) : undefined,
  })
