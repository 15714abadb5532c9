import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"

const count = () => integer().notNull().default(0)

export const statsDays = sqliteTable(
  "stats_days",
  {
    teamId: text("team_id").notNull(),
    day: text().notNull(),
    sent: count(),
    delivered: count(),
    bounced: count(),
    complained: count(),
    opened: count(),
    clicked: count(),
    failed: count(),
    /** Of these counts, campaigns' mail, which may have a provider of its own. */
    bulk: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
    quarters: text({ mode: "json" }).$type<Record<string, number[]>>().notNull().default({}),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.day] })],
)

/** Emails by the hour of an event, apart by what a series can be filtered by. */
export const statsHours = sqliteTable(
  "stats_hours",
  {
    teamId: text("team_id").notNull(),
    /** Its first millisecond. */
    hour: integer().notNull(),
    domainId: text("domain_id").notNull(),
    /** Empty without one, as the campaign. */
    templateId: text("template_id").notNull(),
    campaignId: text("campaign_id").notNull(),
    sent: count(),
    delivered: count(),
    hard: count(),
    soft: count(),
    complained: count(),
    failed: count(),
    opened: count(),
    clicked: count(),
    delayed: count(),
    /** The same counts, as a list in this order, by `key:value`. */
    tags: text({ mode: "json" }).$type<Record<string, number[]>>().notNull().default({}),
    /** The same by the provider of the first recipient's mailbox. */
    mailboxes: text({ mode: "json" }).$type<Record<string, number[]>>().notNull().default({}),
    /** Deliveries by the step of the time since the email was to go out. */
    deliveryTimes: text("delivery_times", { mode: "json" })
      .$type<Record<string, number>>()
      .notNull()
      .default({}),
  },
  (table) => [
    primaryKey({
      columns: [table.teamId, table.hour, table.domainId, table.templateId, table.campaignId],
    }),
  ],
)

/** Clicks on a link in the mail of a campaign, or of a template. */
export const linkClicks = sqliteTable(
  "link_clicks",
  {
    teamId: text("team_id").notNull(),
    ownerId: text("owner_id").notNull(),
    /** Empty: all links beyond the first ones. */
    url: text().notNull(),
    clicks: count(),
    recipients: count(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.ownerId, table.url] })],
)

export const rows = [
  rowsOf("team", statsDays, { kept: ["day", "bulk", "quarters"] }),
  rowsOf("team", statsHours, { kept: ["tags", "mailboxes", "deliveryTimes"] }),
  rowsOf("team", linkClicks, { kept: ["url"] }),
]
