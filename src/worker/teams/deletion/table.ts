import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"

/** Teams whose data is still being deleted. */
export const deletedTeams = sqliteTable("deleted_teams", {
  id: text().primaryKey(),
  deletedAt: integer("deleted_at").notNull(),
})

export const rows = [rowsOf("installation", deletedTeams)]
