import { isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const sandboxMessages = sqliteTable(
  "sandbox_messages",
  {
    teamId: text("team_id").notNull(),
    emailId: text("email_id").notNull(),
    sender: text().notNull(),
    recipients: text({ mode: "json" }).$type<string[]>().notNull(),
    body: text(),
    objectKey: text("object_key"),
    createdAt: integer("created_at").notNull(),
    /** When the sweep reports the outcomes again, unless they are recorded by then. */
    outcomesDueAt: integer("outcomes_due_at"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.emailId] }),
    index("sandbox_messages_outcomes_due")
      .on(table.outcomesDueAt)
      .where(isNotNull(table.outcomesDueAt)),
  ],
)
