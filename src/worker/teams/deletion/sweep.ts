import { eq, getTableName, gt, sql } from "drizzle-orm"
import { getTableConfig } from "drizzle-orm/sqlite-core"
import { logError } from "../../../lib/log.ts"
import { CLOCKS_APART_MS, HOUR_MS } from "../../../lib/time.ts"
import { apiKeys } from "../../access/keys/table.ts"
import { invitations } from "../../access/people/table.ts"
import { layouts } from "../../campaigns/layouts/table.ts"
import {
  campaignBatches,
  campaignBodies,
  campaignRuns,
  campaigns,
  heldBatches,
} from "../../campaigns/table.ts"
import { contactBooks, contactRefusals, contacts, deletedBooks } from "../../contacts/table.ts"
import { removeDnsRecords } from "../../domains/auto-dns.ts"
import { removeIdentity } from "../../domains/identity.ts"
import { type DomainRow, domains } from "../../domains/table.ts"
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
import type { Work } from "../../platform/context.ts"
import { resultColumns } from "../../platform/db/columns.ts"
import { deleteObjects, deleteObjectsOfTeam } from "../../platform/db/overflow.ts"
import { sandboxMessages } from "../../providers/sandbox/table.ts"
import { forgetRemovals } from "../../removals/keep.ts"
import { repeatedErasures } from "../../removals/table.ts"
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
import { leaveDirectory } from "./delete-team.ts"
import { deletedTeams } from "./table.ts"

const TEAMS_A_SWEEP = 50
const ROWS_A_ROUND = 500
const ROUNDS_A_SWEEP = 80
const WITHIN_MS = 10_000
const DOMAINS_A_SWEEP = 3

/** Calls that began earlier may still write. The sweep goes on until no row came for this long. */
const SETTLED_AFTER_MS = HOUR_MS

/** A team's tables. Emails come first, so that none is claimed again. */
const TABLES = [
  emails,
  emailContents,
  packs,
  emailRecipients,
  emailTags,
  emailEvents,
  emailWords,
  purgePositions,
  sandboxMessages,
  campaignBatches,
  heldBatches,
  campaignBodies,
  campaignRuns,
  campaigns,
  contacts,
  contactBooks,
  deletedBooks,
  contactRefusals,
  segments,
  topics,
  deletedTopics,
  savedViews,
  templateVersions,
  templateDrafts,
  templates,
  layouts,
  images,
  suppressions,
  erasures,
  repeatedErasures,
  deliveries,
  webhooks,
  deletedWebhooks,
  events,
  eventSequences,
  streamOutbox,
  statsDays,
  statsHours,
  linkClicks,
  notices,
  invitations,
  auditLog,
]
type Table = (typeof TABLES)[number]

export const SWEPT_TABLES = TABLES.map(getTableName)

/** Deletes the data of deleted teams. Teams take turns, with a round of rows each. */
export async function sweepDeletedTeams(work: Work): Promise<void> {
  const mayGoOn = createBudget(work)
  const found = await readDeletedTeams(work)
  if (found.length === 0) return
  await settleFromNowOn(work)
  await deleteDomains(work)
  for (let teams = found; teams.length > 0; ) {
    const unfinished: DeletedTeam[] = []
    for (const team of teams) {
      if (!mayGoOn()) return
      const hasMore = await sweepTeam(work, team).catch((error) => {
        logError(error, { teamId: team.id })
        return false
      })
      if (hasMore) unfinished.push(team)
    }
    teams = unfinished
  }
}

interface DeletedTeam {
  id: string
  deletedAt: number
  hasDomains: boolean
  /** Those with rows of the team. */
  tables: Table[]
}

/** The oldest deletions first. */
async function readDeletedTeams({ db }: Work): Promise<DeletedTeam[]> {
  const { id, deletedAt } = deletedTeams
  const has = (table: Table | typeof domains) => sql`exists (
    select 1 from ${table} where ${table.teamId} = ${id} and ${isDeletable(table)})`
  const rows = await db.all<{ id: string; deletedAt: number } & Record<string, unknown>>(sql`
    select ${resultColumns({
      id,
      deletedAt,
      ...Object.fromEntries([domains, ...TABLES].map((table) => [getTableName(table), has(table)])),
    })}
    from ${deletedTeams} order by ${deletedAt} limit ${TEAMS_A_SWEEP}`)
  return rows.map((row) => ({
    id: row.id,
    deletedAt: row.deletedAt,
    hasDomains: Boolean(row[getTableName(domains)]),
    tables: TABLES.filter((table) => row[getTableName(table)]),
  }))
}

/** Answers whether there are more rows. A team that had none may be finished. */
async function sweepTeam(work: Work, team: DeletedTeam): Promise<boolean> {
  const { id, deletedAt, hasDomains, tables } = team
  const [table] = tables
  if (table) {
    const deleted = await deleteRows(work, id, table)
    if (deleted < ROWS_A_ROUND) tables.shift()
    return tables.length > 0
  }
  if (!hasDomains && deletedAt <= work.now() - SETTLED_AFTER_MS) await finish(work, id)
  return false
}

/** Deletions that were noted by a clock that was ahead. */
const settleFromNowOn = ({ db, now }: Work) =>
  db
    .update(deletedTeams)
    .set({ deletedAt: now() })
    .where(gt(deletedTeams.deletedAt, now() + CLOCKS_APART_MS))

function createBudget(work: Work): () => boolean {
  const until = work.now() + WITHIN_MS
  let rounds = 0
  return () => rounds++ < ROUNDS_A_SWEEP && work.now() < until
}

/** A pack without its object yet is left to the sweep of lost packs. */
const isDeletable = (table: Table | typeof domains) =>
  "openSince" in table ? sql`${table.openSince} is null` : sql`true`

async function deleteRows(work: Work, teamId: string, table: Table): Promise<number> {
  const { columns, primaryKeys } = getTableConfig(table)
  const key = sql.join(primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary), sql`, `)
  const objectKey = "objectKey" in table ? table.objectKey : sql<null>`null`
  const isListed = sql`(${key}) in (
    select ${key} from ${table} where ${table.teamId} = ${teamId} and ${isDeletable(table)} limit ${ROWS_A_ROUND})`
  // The objects go first: a row leads the next sweep to an object that is still there.
  if ("objectKey" in table) {
    await deleteObjects(work.env, await work.db.select({ objectKey }).from(table).where(isListed))
  }
  const rows = await work.db.delete(table).where(isListed).returning({ objectKey })
  await deleteObjects(work.env, rows)
  return rows.length
}

/** Records that cannot be deleted outside stay there. A team with many domains delays no other. */
async function deleteDomains(work: Work): Promise<void> {
  const owned = await work.db
    .select()
    .from(domains)
    .where(sql`${domains.teamId} in (select ${deletedTeams.id} from ${deletedTeams})`)
    .orderBy(sql`row_number() over (partition by ${domains.teamId})`, sql`random()`)
    .limit(DOMAINS_A_SWEEP)
  for (const domain of owned) {
    await removeOutside(work, domain).catch((error) => logError(error, { domainId: domain.id }))
    await work.db
      .delete(domains)
      .where(sql`${domains.teamId} = ${domain.teamId} and ${domains.id} = ${domain.id}`)
  }
}

async function removeOutside(work: Work, domain: DomainRow): Promise<void> {
  await removeIdentity(work, domain)
  await removeDnsRecords(work.settings, domain)
}

async function finish(work: Work, teamId: string): Promise<void> {
  await deleteObjectsOfTeam(work.env, teamId)
  await forgetRemovals(work, teamId)
  await leaveDirectory(work, teamId)
  await work.db.batch([
    work.db.delete(apiKeys).where(eq(apiKeys.teamId, teamId)),
    work.db.delete(deletedTeams).where(eq(deletedTeams.id, teamId)),
  ])
}
