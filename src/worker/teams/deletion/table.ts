import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Teams whose data is still being deleted. */
export const deletedTeams = sqliteTable("deleted_teams", {
  id: text().primaryKey(),
  deletedAt: integer("deleted_at").notNull(),
})
