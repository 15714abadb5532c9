import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core"
import { apiKeys } from "../../access/keys/table.ts"
import { layouts } from "../../campaigns/layouts/table.ts"
import {
  campaignBatches,
  campaignBodies,
  campaignRuns,
  campaigns,
  heldBatches,
} from "../../campaigns/table.ts"
import { contactBooks, contacts, deletedBooks } from "../../contacts/table.ts"
import { domains } from "../../domains/table.ts"
import {
  emailContents,
  emailEvents,
  emailRecipients,
  emails,
  emailTags,
  packs,
  purgePositions,
} from "../../emails/table.ts"
import { erasures } from "../../erasure/table.ts"
import { images } from "../../images/table.ts"
import { sandboxMessages } from "../../providers/sandbox/table.ts"
import { removals, repeatedErasures } from "../../removals/table.ts"
import { segments } from "../../segments/table.ts"
import { linkClicks, statsDays, statsHours } from "../../stats/table.ts"
import { streamOutbox } from "../../stream/table.ts"
import { suppressions } from "../../suppressions/table.ts"
import { templateDrafts, templates, templateVersions } from "../../templates/table.ts"
import { deletedTopics, topics } from "../../topics/table.ts"
import { savedViews } from "../../views/table.ts"
import {
  deletedWebhooks,
  deliveries,
  eventSequences,
  events,
  webhooks,
} from "../../webhooks/events/table.ts"
import { auditLog } from "../audit/table.ts"
import { notices } from "../notices/table.ts"
import { teams } from "../table.ts"

/** A table that has rows of teams, as the move reads and writes it. */
export interface MovedTable {
  name: string
  /** The column that names the team. */
  team: string
  /** The rest of the primary key. */
  key: readonly string[]
  columns: readonly string[]
  /** SQL: whether a row is live. */
  live: string
  rowsAPage: number
}

/** Rows of these tables may have tens of kilobytes. */
const LARGE_ROWS: readonly SQLiteTable[] = [
  emailContents,
  sandboxMessages,
  events,
  templateVersions,
  campaigns,
  campaignBodies,
  templates,
  templateDrafts,
  layouts,
]
const ROWS_A_PAGE = 1_000
const LARGE_ROWS_A_PAGE = 200

function describe(table: SQLiteTable, live: string): MovedTable {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  const team = name === "teams" ? "id" : "team_id"
  return {
    name,
    team,
    key: key.map((column) => column.name).filter((column) => column !== team),
    columns: columns.filter(({ generated }) => !generated).map((column) => column.name),
    live,
    rowsAPage: LARGE_ROWS.includes(table) ? LARGE_ROWS_A_PAGE : ROWS_A_PAGE,
  }
}

/** Rows that nothing but a call for their team reads or writes. They are copied while it works. */
const HISTORY = [
  emailContents,
  emailRecipients,
  emailTags,
  emailEvents,
  contacts,
  suppressions,
  templateVersions,
  events,
  statsDays,
  statsHours,
  linkClicks,
  auditLog,
]

/** The rows with this time are what a sweep looks for; the others are history. */
const PARTLY_LIVE: [SQLiteTable, string][] = [
  [emails, "due_at is not null"],
  [deliveries, "due_at is not null"],
  [sandboxMessages, "outcomes_due_at is not null"],
]

/**
 * Sweeps act on these rows. So they are copied when nobody writes any more, and leave the source as
 * soon as the team is in the target. The keys and the team come first, so that calls find the target.
 */
const LIVE = [
  apiKeys,
  teams,
  domains,
  campaigns,
  campaignRuns,
  campaignBodies,
  campaignBatches,
  heldBatches,
  contactBooks,
  deletedBooks,
  segments,
  topics,
  deletedTopics,
  savedViews,
  templates,
  templateDrafts,
  layouts,
  images,
  packs,
  purgePositions,
  erasures,
  repeatedErasures,
  removals,
  webhooks,
  deletedWebhooks,
  eventSequences,
  streamOutbox,
  notices,
]

/** All tables that have rows of teams, apart from those that only the directory has. */
export const MOVED_TABLES: readonly MovedTable[] = [
  ...LIVE.map((table) => describe(table, "true")),
  ...PARTLY_LIVE.map(([table, live]) => describe(table, live)),
  ...HISTORY.map((table) => describe(table, "false")),
]

export const hasHistory = ({ live }: MovedTable) => live !== "true"
export const hasLiveRows = ({ live }: MovedTable) => live !== "false"

/**
 * Changes of people are noted in the directory, wherever their team is, and moved to it later. So the
 * directory's log takes entries of a fenced team, and its entries find the team by themselves.
 */
export const isOfPeople = ({ name }: MovedTable, isDirectory: boolean) =>
  isDirectory && name === "audit_log"
