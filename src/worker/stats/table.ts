import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

const count = () => integer().notNull().default(0)

export const statsDays = sqliteTable(
  "stats_days",
  {
    teamId: text("team_id").notNull(),
    day: text().notNull(),
    sent: count(),
    delivered: count(),
    bounced: count(),
    complained: count(),
    opened: count(),
    clicked: count(),
    failed: count(),
    quarters: text({ mode: "json" }).$type<Record<string, number[]>>().notNull().default({}),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.day] })],
)
