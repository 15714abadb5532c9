import type { SQL } from "drizzle-orm"
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core"

/** A statement and its values, for a binding of D1 or for wrangler. */
export interface Statement {
  sql: string
  values: (string | number | null)[]
}

const dialect = new SQLiteSyncDialect()

export function statementOf(query: SQL): Statement {
  const { sql, params } = dialect.sqlToQuery(query)
  return { sql, values: params as Statement["values"] }
}

export const bind = (db: D1Database, { sql, values }: Statement): D1PreparedStatement =>
  db.prepare(sql).bind(...values)

/** The statement with its values in the text: wrangler's command line takes no parameters. */
export function inline({ sql, values }: Statement): string {
  const rest = values.values()
  return sql.replace(/\?/g, () => quote(rest.next().value ?? null))
}

const quote = (value: string | number | null) =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value)
