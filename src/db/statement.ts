/** A statement and its values, for whoever runs it: a binding of D1, or wrangler. */
export interface Statement {
  sql: string
  values: (string | number | null)[]
}

export const bind = (db: D1Database, { sql, values }: Statement): D1PreparedStatement =>
  db.prepare(sql).bind(...values)

/** With its values written into the text: wrangler's command line takes no parameters. */
export function inline({ sql, values }: Statement): string {
  const rest = values.values()
  return sql.replace(/\?/g, () => quote(rest.next().value ?? null))
}

const quote = (value: string | number | null) =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value)
