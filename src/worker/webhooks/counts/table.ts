import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"

export const webhookHours = sqliteTable(
  "webhook_hours",
  {
    teamId: text("team_id").notNull(),
    hour: integer().notNull(),
    webhookId: text("webhook_id").notNull(),
    succeeded: integer().notNull(),
    failed: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.hour, table.webhookId] })],
)

export const rows = [rowsOf("team", webhookHours)]
