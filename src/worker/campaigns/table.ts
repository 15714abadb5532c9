import { isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import type { Mailbox } from "../../lib/address.ts"
import { rowsOf } from "../platform/db/rows.ts"
import type { SegmentFilter } from "../segments/filter.ts"
import type { Block, Theme } from "./blocks/contract.ts"
import { CAMPAIGN_STATUSES } from "./contract.ts"

export const campaigns = sqliteTable(
  "campaigns",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    name: text().notNull(),
    status: text({ enum: CAMPAIGN_STATUSES }).notNull(),
    bookId: text("book_id").notNull(),
    segmentId: text("segment_id"),
    domainId: text("domain_id").notNull(),
    sender: text({ mode: "json" }).$type<Mailbox>().notNull(),
    replyTo: text("reply_to", { mode: "json" }).$type<Mailbox>(),
    subject: text().notNull(),
    blocks: text({ mode: "json" }).$type<Block[]>().notNull(),
    theme: text({ mode: "json" }).$type<Theme>(),
    mergeDefaults: text("merge_defaults", { mode: "json" }).$type<Record<string, string>>(),
    headerLayoutId: text("header_layout_id"),
    footerLayoutId: text("footer_layout_id"),
    brake: integer({ mode: "boolean" }).notNull().default(false),
    trackOpens: integer("track_opens", { mode: "boolean" }),
    trackClicks: integer("track_clicks", { mode: "boolean" }),
    scheduledAt: integer("scheduled_at"),
    sentAt: integer("sent_at"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** When it was deleted. The row stays until its emails are sent. */
    deletedAt: integer("deleted_at"),
    topicId: text("topic_id"),
    preheader: text(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    index("campaigns_status").on(table.teamId, table.status, table.id),
    index("campaigns_deleted").on(table.deletedAt).where(isNotNull(table.deletedAt)),
  ],
)

const count = () => integer().notNull().default(0)

export const campaignRuns = sqliteTable(
  "campaign_runs",
  {
    teamId: text("team_id").notNull(),
    campaignId: text("campaign_id").notNull(),
    cursor: text(),
    wave: count(),
    /** The first email of the current wave; above every id while there is none. */
    waveFrom: text("wave_from").notNull().default("~"),
    waveRecipients: integer("wave_recipients").notNull().default(0),
    waveOpen: integer("wave_open").notNull().default(0),
    waveSent: integer("wave_sent").notNull().default(0),
    waveBounced: integer("wave_bounced").notNull().default(0),
    waveComplained: integer("wave_complained").notNull().default(0),
    waveEndedAt: integer("wave_ended_at"),
    pausedReason: text("paused_reason"),
    open: count(),
    recipients: count(),
    sent: count(),
    delivered: count(),
    opened: count(),
    clicked: count(),
    unsubscribed: count(),
    bounced: count(),
    complained: count(),
    failed: count(),
    replied: count(),
    completedAt: integer("completed_at"),
    dueAt: integer("due_at"),
    /** The filter of the segment as it was when the fan-out started. */
    segmentFilter: text("segment_filter", { mode: "json" }).$type<SegmentFilter>(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.campaignId] }),
    index("campaign_runs_due").on(table.dueAt).where(isNotNull(table.dueAt)),
  ],
)

const createBatches = (name: string) =>
  sqliteTable(
    name,
    {
      teamId: text("team_id").notNull(),
      campaignId: text("campaign_id").notNull(),
      id: text().notNull(),
      emails: text({ mode: "json" }).$type<string[]>().notNull(),
    },
    (table) => [primaryKey({ columns: [table.teamId, table.campaignId, table.id] })],
  )

/** Emails that sending takes in turn. */
export const campaignBatches = createBatches("campaign_batches")
/** Emails that wait until a person resumes their campaign. */
export const heldBatches = createBatches("held_campaign_batches")

/** The frozen body of a campaign: `body` and `objectKey` as in `emailContents`. */
export const campaignBodies = sqliteTable(
  "campaign_bodies",
  {
    teamId: text("team_id").notNull(),
    campaignId: text("campaign_id").notNull(),
    body: text(),
    objectKey: text("object_key"),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.campaignId] })],
)

export const rows = [
  rowsOf("team", campaigns, {
    kept: ["name", "sender", "replyTo", "subject", "preheader", "blocks", "theme", "mergeDefaults"],
    isLarge: true,
  }),
  rowsOf("team", campaignRuns, {
    addresses: { segmentFilter: "replaced" },
    kept: ["cursor", "waveFrom", "pausedReason"],
  }),
  rowsOf("team", campaignBodies, { kept: ["body", "objectKey"], isLarge: true }),
  rowsOf("team", campaignBatches, { kept: ["emails"] }),
  rowsOf("team", heldBatches, { kept: ["emails"] }),
]
