import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"

export const refusedCalls = sqliteTable(
  "refused_calls",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    keyId: text("key_id").notNull(),
    call: text().notNull(),
    code: text().notNull(),
    message: text().notNull(),
    count: integer().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)

export const rows = [
  rowsOf("team", refusedCalls, { addresses: { message: "replaced" }, kept: ["call", "code"] }),
]
