import { and, eq, isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import type { Work } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { rowsOf } from "../../platform/db/rows.ts"

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
    /** What a search finds. Null in messages of an earlier version. */
    words: text(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.emailId] }),
    index("sandbox_messages_outcomes_due")
      .on(table.outcomesDueAt)
      .where(isNotNull(table.outcomesDueAt)),
  ],
)

/** Part of an erasure: deletes the copies of these emails. */
export const deleteMessages = (work: Work, teamId: string, emailIds: readonly string[]) =>
  work.db
    .delete(sandboxMessages)
    .where(and(eq(sandboxMessages.teamId, teamId), isOneOf(sandboxMessages.emailId, emailIds)))

export const rows = [rowsOf("team", sandboxMessages, { along: "all", isLarge: true })]
