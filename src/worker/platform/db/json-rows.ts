import { type SQL, type SQLWrapper, sql } from "drizzle-orm"

/** The fields of a row, each as SQL. */
type Fields<Row> = { readonly [Name in keyof Row & string]-?: SQL<Row[Name]> }

/**
 * The fields of rows of JSON that a statement reads with `json_each(…) x`: `x.lastError` is
 * `x.value ->> 'lastError'`, a text or a number. With the operator `->`, a field is JSON. A name that
 * the row lacks does not compile. Names come from the code, never from a caller.
 */
export const jsonFields = <Row extends object>(
  alias = "x",
  operator: "->>" | "->" = "->>",
): Fields<Row> =>
  new Proxy({} as Fields<Row>, {
    get: (_, name) =>
      typeof name === "string" ? sql.raw(`${alias}.value ${operator} '${name}'`) : undefined,
  })

/**
 * Rows as one parameter, since D1 binds 100 of them: the table `json_each(…) x`. A text is JSON, such
 * as one of `jsonChunks`: D1 binds 2 MB a value. With `parsedOnce`, a statement may read many fields:
 * JSON as text is parsed for each. The limit keeps SQLite from merging the query into the one around.
 */
export function jsonRows<Row extends object>(
  rows: readonly Row[] | string | SQLWrapper,
  alias = "x",
  { parsedOnce = false } = {},
): SQL {
  const json = sql`json_each(${Array.isArray(rows) ? JSON.stringify(rows) : rows})`
  const table = parsedOnce ? sql`(select jsonb(value) as value from ${json} limit -1)` : json
  return sql`${table} ${sql.raw(alias)}`
}

/** A condition: the expression is one of these values, which are one parameter. */
export const isOneOf = (value: SQLWrapper, values: readonly string[] | SQLWrapper): SQL =>
  sql`${value} in (select value from json_each(${Array.isArray(values) ? JSON.stringify(values) : values}))`
