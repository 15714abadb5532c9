import { inArray, isNotNull, sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import type { Mailbox } from "../../lib/address.ts"
import { rowsOf } from "../platform/db/rows.ts"
import { EMAIL_EVENT_TYPES, EMAIL_STATUSES, type EventData } from "./contract.ts"

export interface Recipient extends Mailbox {
  as: "to" | "cc" | "bcc"
  /** The `erasedForm` of the address without its host, in an email that skips suppressed recipients. */
  hash?: string
}

export interface Fault {
  at: number
  /** Null once it is erased. */
  answer: string | null
}

/** The step that sent an email, and the version of the sequence that the step is of. */
interface SequenceStep {
  runId: string
  version: number
  stepKey: string
}

export const emails = sqliteTable(
  "emails",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    status: text({ enum: EMAIL_STATUSES }).notNull(),
    sender: text({ mode: "json" }).$type<Mailbox>().notNull(),
    recipients: text({ mode: "json" }).$type<Recipient[]>().notNull(),
    replyTo: text("reply_to", { mode: "json" }).$type<Mailbox[]>().notNull().default([]),
    subject: text().notNull(),
    tags: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    domainId: text("domain_id").notNull(),
    /** The campaign, or the sequence: its id begins with `sqn_`. */
    campaignId: text("campaign_id"),
    /** The contact that such an email is filled in from. */
    contactId: text("contact_id"),
    templateId: text("template_id"),
    trackOpens: integer("track_opens", { mode: "boolean" }),
    trackClicks: integer("track_clicks", { mode: "boolean" }),
    overrideSuppression: integer("override_suppression", { mode: "boolean" })
      .notNull()
      .default(false),
    skipsSuppressed: integer("skips_suppressed", { mode: "boolean" }).notNull().default(false),
    idempotencyKey: text("idempotency_key"),
    fingerprint: text(),
    scheduledAt: integer("scheduled_at"),
    createdAt: integer("created_at").notNull(),
    sentAt: integer("sent_at"),
    providerMessageId: text("provider_message_id"),
    attempts: integer().notNull().default(0),
    /** Attempts without an answer of the provider, a running one included. */
    unanswered: integer().notNull().default(0),
    /** The claim that took it last. */
    claimedBy: text("claimed_by"),
    lastError: text("last_error"),
    /** The attempts to hand it over that were put off, the newest 100. */
    faults: text({ mode: "json" }).$type<Fault[]>().notNull().default([]),
    /** A bit for each event type that the timeline has: counters count emails, not events. */
    eventTypes: integer("event_types").notNull().default(0),
    /**
     * Nobody may claim the email before this time: its schedule, its next attempt, or the end of a
     * lease.
     */
    notBefore: integer("not_before").notNull(),
    /**
     * When it was due first; for an email of a campaign, when it was claimed first. Null before that, and
     * once nothing is left to do.
     */
    dueAt: integer("due_at"),
    /** The line that an open email waits in: 0 transactional, 1 a campaign's, 2 scheduled mail. */
    priority: integer().generatedAlwaysAs(
      sql`iif(status = 'scheduled', 2, campaign_id is not null)`,
      {
        mode: "virtual",
      },
    ),
    /** The pack that has the content, and where it begins there. */
    pack: text(),
    packOffset: integer("pack_offset"),
    packLength: integer("pack_length"),
    /** The API key that sent it. */
    keyId: text("key_id"),
    /** The words of a subject with letters beyond ASCII, which SQLite cannot lower-case. */
    subjectWords: text("subject_words"),
    /** For an email of a sequence. One column, since each costs every email a byte. */
    sequenceStep: text("sequence_step", { mode: "json" }).$type<SequenceStep>(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    uniqueIndex("emails_idempotency_key")
      .on(table.teamId, table.idempotencyKey)
      .where(isNotNull(table.idempotencyKey)),
    index("emails_campaign")
      .on(table.teamId, table.campaignId, table.id)
      .where(isNotNull(table.campaignId)),
    index("emails_rare_status")
      .on(table.teamId, table.status, table.id)
      .where(inArray(table.status, ["scheduled", "bounced", "complained", "failed", "cancelled"])),
    index("emails_cloudflare_message")
      .on(table.providerMessageId)
      .where(sql`substr(${table.providerMessageId}, 1, 3) = 'cf:'`),
    index("emails_open")
      .on(table.priority, table.teamId, table.notBefore)
      .where(isNotNull(table.dueAt)),
  ],
)

export type EmailRow = typeof emails.$inferSelect

export const emailRecipients = sqliteTable(
  "email_recipients",
  {
    teamId: text("team_id").notNull(),
    address: text().notNull(),
    emailId: text("email_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.address, table.emailId] })],
)

export const emailTags = sqliteTable(
  "email_tags",
  {
    teamId: text("team_id").notNull(),
    tag: text().notNull(),
    emailId: text("email_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.tag, table.emailId] })],
)

export const emailContents = sqliteTable(
  "email_contents",
  {
    teamId: text("team_id").notNull(),
    emailId: text("email_id").notNull(),
    body: text(),
    objectKey: text("object_key"),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.emailId] })],
)

/**
 * Each object in R2 that has contents of settled emails of one team and day. The row is written before
 * the object, so that a sweep finds what a crash leaves behind: to look for such objects in a listing
 * of the bucket would need an index of the emails by pack, a row written for each email.
 */
export const packs = sqliteTable(
  "packs",
  {
    teamId: text("team_id").notNull(),
    objectKey: text("object_key").notNull(),
    /** Null once the emails have their places in the pack. */
    openSince: integer("open_since"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.objectKey] }),
    index("packs_open").on(table.openSince).where(isNotNull(table.openSince)),
  ],
)

export const emailEvents = sqliteTable(
  "email_events",
  {
    teamId: text("team_id").notNull(),
    emailId: text("email_id").notNull(),
    id: text().notNull(),
    type: text({ enum: EMAIL_EVENT_TYPES }).notNull(),
    occurredAt: integer("occurred_at").notNull(),
    data: text({ mode: "json" }).$type<EventData>().notNull().default({}),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.emailId, table.id] })],
)

/** The words that a search finds emails by: an object of texts by the ids of up to 1,000 emails of one day. */
export const emailWords = sqliteTable(
  "email_words",
  {
    teamId: text("team_id").notNull(),
    firstId: text("first_id").notNull(),
    lastId: text("last_id").notNull(),
    /** Newest first. Each text has a space in front of each word. */
    words: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.firstId] })],
)

/** Purges do not read waiting emails again: those up to the position were looked through. */
export const purgePositions = sqliteTable(
  "purge_positions",
  {
    teamId: text("team_id").notNull(),
    kind: text({ enum: ["contents", "records", "packs"] }).notNull(),
    position: text().notNull(),
    /** When the purge began at the team's oldest email. */
    since: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.kind] })],
)

/** A member of the step that sent the email. */
export const stepOf = (member: keyof SequenceStep) =>
  sql`(${emails.sequenceStep} ->> ${sql.raw(`'${member}'`)})`

/** Emails come first, so that none of a deleted team is claimed again. */
export const rows = [
  rowsOf("team", emails, {
    addresses: { replyTo: "searched" },
    along: [
      "sender",
      "recipients",
      "subject",
      "subjectWords",
      "tags",
      "idempotencyKey",
      "fingerprint",
      "lastError",
      "faults",
    ],
    kept: ["claimedBy", "pack", "sequenceStep"],
  }),
  rowsOf("team", emailContents, { along: "all", isLarge: true }),
  rowsOf("team", emailRecipients, { addresses: { address: "listed" } }),
  rowsOf("team", emailTags, { along: ["tag"] }),
  rowsOf("team", emailEvents, { along: ["data"] }),
  rowsOf("team", emailWords, { along: ["words"], isLarge: true }),
  rowsOf("team", packs, { kept: ["objectKey"] }),
  rowsOf("team", purgePositions, { kept: ["position"] }),
]
