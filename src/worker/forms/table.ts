import { isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"
import type { ConfirmationMail } from "./confirmation-contract.ts"
import type { FormField } from "./contract.ts"

export const forms = sqliteTable(
  "forms",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    bookId: text("book_id").notNull(),
    name: text().notNull(),
    topicIds: text("topic_ids", { mode: "json" }).$type<string[]>().notNull().default([]),
    fields: text({ mode: "json" }).$type<FormField[]>().notNull(),
    wording: text().notNull(),
    confirm: integer({ mode: "boolean" }).notNull().default(true),
    confirmation: text({ mode: "json" }).$type<ConfirmationMail>(),
    doneUrl: text("done_url"),
    confirmedUrl: text("confirmed_url"),
    origins: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    turnstileSecret: text("turnstile_secret"),
    enabled: integer({ mode: "boolean" }).notNull().default(true),
    asked: integer().notNull().default(0),
    confirmed: integer().notNull().default(0),
    /** How long the newest confirmations took, in milliseconds. */
    waits: text({ mode: "json" }).$type<number[]>().notNull().default([]),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    uniqueIndex("forms_id").on(table.id),
    index("forms_sealed").on(table.teamId, table.id).where(isNotNull(table.turnstileSecret)),
  ],
)

export type FormRow = typeof forms.$inferSelect

export const rows = [
  rowsOf("team", forms, {
    kept: [
      ...(["name", "topicIds", "fields", "wording", "confirmation", "doneUrl"] as const),
      ...(["confirmedUrl", "origins", "turnstileSecret", "waits"] as const),
    ],
    isLarge: true,
  }),
]
