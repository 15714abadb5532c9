import { getTableColumns, isNotNull, sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import type { Work } from "../platform/context.ts"
import { rowsOf } from "../platform/db/rows.ts"
import { CONFIRMATIONS, type ConsentEntry, type Properties, type TopicChoices } from "./shapes.ts"

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
    nameKey: text("name_key").generatedAlwaysAs(
      sql`coalesce(first_key || ' ' || last_key, first_key, last_key)`,
    ),
    lastNameKey: text("last_name_key").generatedAlwaysAs(
      sql`iif(first_key is null, null, last_key)`,
    ),
    properties: text({ mode: "json" }).$type<Properties>().notNull().default({}),
    subscribed: integer({ mode: "boolean" }).notNull().default(true),
    unsubscribeReason: text("unsubscribe_reason"),
    unsubscribedAt: integer("unsubscribed_at"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** What the contact has chosen, by the ids of topics. */
    topics: text({ mode: "json" }).$type<TopicChoices>().notNull().default({}),
    /** The history of its consent. Records leave it out, since it may be long. */
    consents: text({ mode: "json" }).$type<ConsentEntry[]>().notNull().default([]),
    confirmation: text({ enum: CONFIRMATIONS }),
    confirmedAt: integer("confirmed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.bookId, table.id] }),
    uniqueIndex("contacts_email").on(table.teamId, table.bookId, table.email),
    index("contacts_subscribed").on(table.teamId, table.bookId, table.subscribed, table.id),
    index("contacts_name")
      .on(table.teamId, table.bookId, table.nameKey, table.id)
      .where(isNotNull(table.nameKey)),
    index("contacts_last_name")
      .on(table.teamId, table.bookId, table.lastNameKey, table.id)
      .where(isNotNull(table.lastNameKey)),
    index("contacts_topics").on(table.teamId, table.email).where(sql`topics <> '{}'`),
  ],
)

const { consents: _, ...columns } = getTableColumns(contacts)

/** A contact without its history. */
export const contactColumns = columns

export type ContactRow = Omit<typeof contacts.$inferSelect, "nameKey" | "lastNameKey" | "consents">

/** A condition in the words of the index `contacts_topics`. */
export const hasChoices = sql`${contacts.topics} <> '{}'`

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

/** Deleted contacts that had unsubscribed, as the erased form of their address. */
export const contactRefusals = sqliteTable(
  "contact_refusals",
  {
    teamId: text("team_id").notNull(),
    bookId: text("book_id").notNull(),
    addressHash: text("address_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.bookId, table.addressHash] })],
)

export const rows = [
  rowsOf("team", contactBooks, { kept: ["name", "defaultFrom"] }),
  rowsOf("team", contacts, { addresses: { email: "searched" }, along: "all" }),
  rowsOf("team", deletedBooks),
  rowsOf("team", contactRefusals, { kept: ["addressHash"] }),
]
