import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import type { Work } from "../env.ts"
import type { Properties } from "./shapes.ts"

export const contactBooks = sqliteTable(
  "contact_books",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    name: text().notNull(),
    defaultFrom: text("default_from"),
    contactCount: integer("contact_count").notNull().default(0),
    subscribedCount: integer("subscribed_count").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)

export const contacts = sqliteTable(
  "contacts",
  {
    teamId: text("team_id").notNull(),
    bookId: text("book_id").notNull(),
    id: text().notNull(),
    email: text().notNull(),
    firstName: text("first_name"),
    lastName: text("last_name"),
    firstKey: text("first_key"),
    lastKey: text("last_key"),
    // as the migration generates them
    nameKey: text("name_key").generatedAlwaysAs(""),
    lastNameKey: text("last_name_key").generatedAlwaysAs(""),
    properties: text({ mode: "json" }).$type<Properties>().notNull(),
    subscribed: integer({ mode: "boolean" }).notNull(),
    unsubscribeReason: text("unsubscribe_reason"),
    unsubscribedAt: integer("unsubscribed_at"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.bookId, table.id] })],
)

export type ContactRow = Omit<typeof contacts.$inferSelect, "nameKey" | "lastNameKey">

/** Always later than before, so that an equal `updatedAt` proves that a contact is unchanged. */
export const nextUpdate = (work: Work, rows: readonly ContactRow[]) =>
  Math.max(work.now(), ...rows.map(({ updatedAt }) => updatedAt + 1))

export const deletedBooks = sqliteTable(
  "deleted_books",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)
