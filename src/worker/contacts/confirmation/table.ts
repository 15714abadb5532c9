import { and, eq, isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"
import type { Submitted } from "../shapes.ts"

/** The times when a contact was asked to confirm, or subscribed itself by a form. */
export const confirmations = sqliteTable(
  "confirmations",
  {
    teamId: text("team_id").notNull(),
    bookId: text("book_id").notNull(),
    contactId: text("contact_id").notNull(),
    id: text().notNull(),
    /** Null where a call of the API asked. */
    formId: text("form_id"),
    /** The text of the form, as the person saw it. */
    wording: text(),
    topicIds: text("topic_ids", { mode: "json" }).$type<string[]>().notNull().default([]),
    /** Written to the contact once it confirms. */
    submitted: text({ mode: "json" }).$type<Submitted>().notNull().default({}),
    /** The network address of the person, cut. */
    network: text(),
    askedAt: integer("asked_at").notNull(),
    /** When the mail is tried again; null once it is accepted, or will not be. */
    mailDueAt: integer("mail_due_at"),
    /** Null once it is confirmed, or where nobody is asked. */
    expiresAt: integer("expires_at"),
    confirmedAt: integer("confirmed_at"),
    confirmedNetwork: text("confirmed_network"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.bookId, table.contactId, table.id] }),
    index("confirmations_mail_due").on(table.mailDueAt).where(isNotNull(table.mailDueAt)),
    index("confirmations_expires").on(table.expiresAt).where(isNotNull(table.expiresAt)),
  ],
)

export type ConfirmationRow = typeof confirmations.$inferSelect

export type ConfirmationRef = Pick<ConfirmationRow, "teamId" | "bookId" | "contactId" | "id">

export const isConfirmation = ({ teamId, bookId, contactId, id }: ConfirmationRef) =>
  and(
    eq(confirmations.teamId, teamId),
    eq(confirmations.bookId, bookId),
    eq(confirmations.contactId, contactId),
    eq(confirmations.id, id),
  )

/** In the directory: the mail that asked an address lately, in whatever team. */
export const confirmationMails = sqliteTable(
  "confirmation_mails",
  {
    addressHash: text("address_hash").notNull(),
    confirmationId: text("confirmation_id").notNull(),
    sentAt: integer("sent_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.addressHash, table.confirmationId] }),
    index("confirmation_mails_sent").on(table.sentAt),
  ],
)

/** An erasure deletes the confirmations of a contact with the contact. */
export const rows = [
  rowsOf("team", confirmations, {
    kept: ["wording", "topicIds", "submitted", "network", "confirmedNetwork"],
  }),
  rowsOf("installation", confirmationMails, { kept: ["addressHash"] }),
]
