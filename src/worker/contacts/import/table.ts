import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"

interface ImportCounts {
  total: number
  created: number
  updated: number
  skipped: number
  failed: number
}

/** Imports by the Resend package, which asks for their counts later. */
export const contactImports = sqliteTable(
  "contact_imports",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    counts: text({ mode: "json" }).$type<ImportCounts>().notNull(),
    createdAt: integer("created_at").notNull(),
    completedAt: integer("completed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)

export type KeptImport = typeof contactImports.$inferSelect

export const rows = [rowsOf("team", contactImports, { kept: ["counts"] })]
