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
import { contactBooks, contactRefusals, contacts, deletedBooks } from "../../contacts/table.ts"
import { domains } from "../../domains/table.ts"
import {
  emailContents,
  emailEvents,
  emailRecipients,
  emails,
  emailTags,
  emailWords,
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
  rowsAPage: number
}

/** Rows of these tables may have tens of kilobytes. */
const LARGE_ROWS: readonly SQLiteTable[] = [
  emailContents,
  emailWords,
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

function describe(table: SQLiteTable): MovedTable {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  const team = name === "teams" ? "id" : "team_id"
  return {
    name,
    team,
    key: key.map((column) => column.name).filter((column) => column !== team),
    columns: columns.filter(({ generated }) => !generated).map((column) => column.name),
    rowsAPage: LARGE_ROWS.includes(table) ? LARGE_ROWS_A_PAGE : ROWS_A_PAGE,
  }
}

/** Calls find the team by these. */
const FINDING = [apiKeys, teams]

const OTHERS = [
  domains,
  emails,
  emailContents,
  emailRecipients,
  emailTags,
  emailEvents,
  emailWords,
  packs,
  purgePositions,
  sandboxMessages,
  campaigns,
  campaignRuns,
  campaignBodies,
  campaignBatches,
  heldBatches,
  contactBooks,
  contacts,
  deletedBooks,
  contactRefusals,
  segments,
  topics,
  deletedTopics,
  savedViews,
  suppressions,
  templates,
  templateDrafts,
  templateVersions,
  layouts,
  images,
  erasures,
  repeatedErasures,
  removals,
  webhooks,
  deletedWebhooks,
  deliveries,
  events,
  eventSequences,
  streamOutbox,
  statsDays,
  statsHours,
  linkClicks,
  auditLog,
  notices,
]

export const FINDING_TABLES: readonly MovedTable[] = FINDING.map(describe)

/** All tables that have rows of teams, apart from those that only the directory has. */
export const MOVED_TABLES: readonly MovedTable[] = [...FINDING_TABLES, ...OTHERS.map(describe)]

/**
 * Changes of people are noted in the directory, wherever their team is, and moved to it later. So the
 * directory's log takes entries of a fenced team, and its entries find the team by themselves.
 */
export const isOfPeople = ({ name }: MovedTable, isDirectory: boolean) =>
  isDirectory && name === "audit_log"
