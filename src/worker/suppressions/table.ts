import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"
import { SUPPRESSION_REASONS } from "./contract.ts"

export const suppressions = sqliteTable(
  "suppressions",
  {
    teamId: text("team_id").notNull(),
    email: text().notNull(),
    id: text().notNull(),
    reason: text({ enum: SUPPRESSION_REASONS }).notNull(),
    note: text(),
    sourceEmailId: text("source_email_id"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.email] }),
    uniqueIndex("suppressions_listed").on(table.teamId, table.id),
  ],
)

export const rows = [
  rowsOf("team", suppressions, { addresses: { email: "listed" }, along: ["note"] }),
]
