import { type Column, sql } from "drizzle-orm"

/** Columns as RETURNING takes them, without their table: `team_id as "teamId"`. */
export const columnsAs = (columns: Record<string, Column>) =>
  sql.join(
    Object.entries(columns).map(
      ([name, column]) => sql`${sql.identifier(column.name)} as ${sql.identifier(name)}`,
    ),
    sql`, `,
  )
