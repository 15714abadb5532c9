import { eq, isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import type { Mailbox } from "../../lib/address.ts"
import { rowsOf } from "../platform/db/rows.ts"
import type { SegmentFilter } from "../segments/filter.ts"
import type { Trigger } from "./contract.ts"
import type { SendWindow, Step } from "./definition/steps-contract.ts"
import { ENTRIES, RUN_ENDS, RUN_STATES, SEQUENCE_STATUSES } from "./statuses.ts"

const count = (name?: string) =>
  (name === undefined ? integer() : integer(name)).notNull().default(0)

/** Which runs of a sequence go on, and how far the walk through them came. */
export interface Wake {
  cursor: string
  /** Runs in these steps are looked at again. */
  keys: string[]
  /** So are the held ones. */
  held: boolean
}

export const sequences = sqliteTable(
  "sequences",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    bookId: text("book_id").notNull(),
    name: text().notNull(),
    status: text({ enum: SEQUENCE_STATUSES }).notNull(),
    domainId: text("domain_id").notNull(),
    sender: text({ mode: "json" }).$type<Mailbox>().notNull(),
    replyTo: text("reply_to", { mode: "json" }).$type<Mailbox>(),
    topicId: text("topic_id"),
    trigger: text("started_by", { mode: "json" }).$type<Trigger>().notNull(),
    steps: text({ mode: "json" }).$type<Step[]>().notNull(),
    entry: text({ enum: ENTRIES }).notNull(),
    goal: text({ mode: "json" }).$type<SegmentFilter>(),
    endOnReply: integer("ends_on_reply", { mode: "boolean" }).notNull(),
    window: text("send_window", { mode: "json" }).$type<SendWindow>(),
    version: integer().notNull().default(1),
    entered: count(),
    finished: count(),
    ended: count(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** The row stays until its runs are deleted. */
    deletedAt: integer("deleted_at"),
    /** When the sweep looks at the sequence itself. */
    lookAt: integer("look_at"),
    wake: text({ mode: "json" }).$type<Wake>(),
    /** How far the look at its segment came, and when it began. Null before the first look. */
    segmentCursor: text("segment_cursor"),
    segmentSince: integer("segment_since"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    index("sequences_active").on(table.teamId, table.bookId).where(eq(table.status, "active")),
    index("sequences_look").on(table.lookAt).where(isNotNull(table.lookAt)),
  ],
)

export type SequenceRow = typeof sequences.$inferSelect

/** The steps of a version, as long as runs may stand in it. */
export const sequenceVersions = sqliteTable(
  "sequence_versions",
  {
    teamId: text("team_id").notNull(),
    sequenceId: text("sequence_id").notNull(),
    version: integer().notNull(),
    steps: text({ mode: "json" }).$type<Step[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sequenceId, table.version] })],
)

/** The frozen body of a step that sends: `body` and `objectKey` as in `emailContents`. */
export const sequenceBodies = sqliteTable(
  "sequence_bodies",
  {
    teamId: text("team_id").notNull(),
    sequenceId: text("sequence_id").notNull(),
    version: integer().notNull(),
    stepKey: text("step_key").notNull(),
    body: text(),
    objectKey: text("object_key"),
    /** The merge fields without which it cannot be rendered. */
    required: text({ mode: "json" }).$type<string[]>().notNull().default([]),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.sequenceId, table.version, table.stepKey] }),
  ],
)

export const sequenceSteps = sqliteTable(
  "sequence_steps",
  {
    teamId: text("team_id").notNull(),
    sequenceId: text("sequence_id").notNull(),
    stepKey: text("step_key").notNull(),
    entered: count(),
    waiting: count(),
    sent: count(),
    delivered: count(),
    opened: count(),
    clicked: count(),
    bounced: count(),
    complained: count(),
    failed: count(),
    unsubscribed: count(),
    ended: count(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sequenceId, table.stepKey] })],
)

export interface HistoryEntry {
  stepKey: string
  at: number
  outcome: string
  emailId: string | null
}

export const sequenceRuns = sqliteTable(
  "sequence_runs",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    sequenceId: text("sequence_id").notNull(),
    contactId: text("contact_id").notNull(),
    version: integer().notNull(),
    stepKey: text("step_key"),
    /** When it came to its step. */
    since: integer().notNull(),
    /** How often it was moved: a move is written only over the visit that it was read at. */
    visit: count(),
    state: text({ enum: RUN_STATES }).notNull(),
    endedBy: text("ended_by", { enum: RUN_ENDS }),
    heldReason: text("held_reason"),
    /** Null while it is held or its sequence is paused, and once it is done. */
    dueAt: integer("due_at"),
    /** The event that lets it go on. */
    waitsFor: text("waits_for"),
    startedAt: integer("started_at").notNull(),
    endedAt: integer("ended_at"),
    history: text({ mode: "json" }).$type<HistoryEntry[]>().notNull().default([]),
    /** The person has answered mail of the run. */
    replied: integer({ mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    index("sequence_runs_sequence").on(table.teamId, table.sequenceId, table.id),
    index("sequence_runs_contact").on(table.teamId, table.contactId, table.sequenceId),
    index("sequence_runs_due").on(table.teamId, table.dueAt).where(isNotNull(table.dueAt)),
  ],
)

export type RunRow = typeof sequenceRuns.$inferSelect

/** The subscribed contacts that matched the segment of a sequence when it was looked at last. */
export const sequenceMembers = sqliteTable(
  "sequence_members",
  {
    teamId: text("team_id").notNull(),
    sequenceId: text("sequence_id").notNull(),
    contactId: text("contact_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sequenceId, table.contactId] })],
)

export const rows = [
  rowsOf("team", sequences, {
    addresses: { goal: "replaced" },
    kept: ["name", "sender", "replyTo", "trigger", "steps", "window", "wake", "segmentCursor"],
    isLarge: true,
  }),
  rowsOf("team", sequenceVersions, { kept: ["steps"], isLarge: true }),
  rowsOf("team", sequenceBodies, {
    kept: ["stepKey", "body", "objectKey", "required"],
    isLarge: true,
  }),
  rowsOf("team", sequenceSteps, { kept: ["stepKey"] }),
  rowsOf("team", sequenceRuns, { kept: ["stepKey", "heldReason", "waitsFor", "history"] }),
  rowsOf("team", sequenceMembers),
]
