import { isNotNull, isNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"
import { type NamedAddress, RECEIVED_KINDS, type Sender } from "./contract.ts"
import { THREAD_STATES } from "./threads/threads-contract.ts"

export const inboxes = sqliteTable(
  "inboxes",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    address: text().notNull(),
    domainId: text("domain_id").notNull(),
    name: text(),
    retentionDays: integer("retention_days").notNull(),
    /** When to look for old mail next. */
    purgeAt: integer("purge_at").notNull(),
    /** Old mail up to this id is deleted. */
    purgedTo: text("purged_to").notNull().default(""),
    /** Its mail is being deleted. */
    deletedAt: integer("deleted_at"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    uniqueIndex("inboxes_address").on(table.address, table.teamId).where(isNull(table.deletedAt)),
    index("inboxes_id").on(table.id),
    index("inboxes_purge_at").on(table.purgeAt),
  ],
)

/** A file of a message, and where its bytes stand. */
export interface StoredAttachment {
  filename: string | null
  contentType: string
  size: number
  contentId: string | null
  encoding: string
  start: number
  end: number
}

export interface Details {
  to: NamedAddress[]
  cc: NamedAddress[]
  replyTo: NamedAddress[]
  inReplyTo: string | null
  references: string[]
  attachments: StoredAttachment[]
  /** Some lines end with a CR or an LF alone: places count as if all ended with both. */
  hasBareLineEnds: boolean
  sender: Sender
}

export const receivedEmails = sqliteTable(
  "received_emails",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    inboxId: text("inbox_id").notNull(),
    threadId: text("thread_id"),
    kind: text({ enum: RECEIVED_KINDS }).notNull(),
    sender: text({ mode: "json" }).$type<NamedAddress>().notNull(),
    envelopeFrom: text("envelope_from").notNull(),
    envelopeTo: text("envelope_to").notNull(),
    subject: text().notNull().default(""),
    messageId: text("message_id"),
    details: text({ mode: "json" }).$type<Partial<Details>>().notNull().default({}),
    answersEmailId: text("answers_email_id"),
    /** Null until a consumer has worked it off. */
    parsed: integer({ mode: "boolean" }),
    read: integer({ mode: "boolean" }).notNull().default(false),
    size: integer().notNull(),
    attempts: integer().notNull().default(0),
    leasedUntil: integer("leased_until").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    /** The message as it came. */
    objectKey: text("object_key"),
    /** The decoded texts and headers, as `Stored` has them: large ones are beside the message. */
    body: text(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    index("received_emails_waiting").on(table.id).where(isNull(table.parsed)),
    index("received_emails_message_id")
      .on(table.teamId, table.messageId)
      .where(isNotNull(table.messageId)),
  ],
)
export type ReceivedRow = typeof receivedEmails.$inferSelect

/** What was taken in the last days, so that a repeat is not taken again. */
export const receivedDigests = sqliteTable(
  "received_digests",
  {
    teamId: text("team_id").notNull(),
    day: integer().notNull(),
    /** Of the recipient and the message. */
    digest: text().notNull(),
    receivedId: text("received_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.day, table.digest] })],
)

/** Up to which message the sweep has looked for lost uploads. */
export const receivedUploads = sqliteTable("received_uploads", {
  teamId: text("team_id").notNull().primaryKey(),
  checkedTo: text("checked_to").notNull(),
})

export const threads = sqliteTable(
  "threads",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    inboxId: text("inbox_id").notNull(),
    subject: text().notNull(),
    participants: text({ mode: "json" }).$type<NamedAddress[]>().notNull(),
    /** The ids of the newest messages, the oldest of them first. */
    messages: text({ mode: "json" }).$type<string[]>().notNull(),
    messageCount: integer("message_count").notNull(),
    state: text({ enum: THREAD_STATES }).notNull(),
    /** The newest message's id without its prefix: the order of the list. */
    position: text().notNull(),
    lastMessageAt: integer("last_message_at").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    uniqueIndex("threads_position").on(table.teamId, table.position, table.id),
  ],
)
export type ThreadRow = typeof threads.$inferSelect

/** The threads that emails were sent in. A thread that an email began has its id from the email. */
export const threadEmails = sqliteTable(
  "thread_emails",
  {
    teamId: text("team_id").notNull(),
    emailId: text("email_id").notNull(),
    threadId: text("thread_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.emailId] })],
)

/** A message goes with the person whom an erasure finds in it, and with it the rest of its row. */
export const rows = [
  rowsOf("team", inboxes, { kept: ["address", "name", "purgedTo"] }),
  rowsOf("team", receivedEmails, {
    addresses: {
      sender: "searched",
      envelopeFrom: "searched",
      envelopeTo: "searched",
      details: "searched",
    },
    along: ["subject", "body"],
    kept: ["objectKey"],
    isLarge: true,
  }),
  rowsOf("team", receivedDigests, { kept: ["digest"] }),
  rowsOf("team", threads, {
    addresses: { participants: "searched" },
    along: ["subject"],
    kept: ["messages", "position"],
  }),
  rowsOf("team", threadEmails),
]

export const uploadRows = [rowsOf("team", receivedUploads, { kept: ["checkedTo"] })]
