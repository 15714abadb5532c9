import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const erasures = sqliteTable(
  "erasures",
  {
    teamId: text("team_id").notNull(),
    email: text().notNull(),
    requestedAt: integer("requested_at").notNull(),
    triedAt: integer("tried_at").notNull().default(0),
    position: text().notNull().default(""),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.email] })],
)
