import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"

export const PROPERTY_TYPES = ["string", "number"] as const

/** Properties that the Resend package declares. Contacts have others, too. */
export const contactProperties = sqliteTable(
  "contact_properties",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    key: text().notNull(),
    type: text({ enum: PROPERTY_TYPES }).notNull(),
    /** Stands in a broadcast where a contact has no value. */
    fallback: text(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    uniqueIndex("contact_properties_key").on(table.teamId, table.key),
  ],
)

export type DeclaredProperty = typeof contactProperties.$inferSelect

export const rows = [rowsOf("team", contactProperties, { kept: ["key", "fallback"] })]
