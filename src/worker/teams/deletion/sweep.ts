import { asc, eq, getTableName, sql } from "drizzle-orm"
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
import { contactBooks, contacts, deletedBooks } from "../../contacts/table.ts"
import { removeDnsRecords } from "../../domains/auto-dns.ts"
import { removeIdentity } from "../../domains/identity.ts"
import { type DomainRow, domains } from "../../domains/table.ts"
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
import type { Work } from "../../platform/context.ts"
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
import { deleteSourceNow } from "../moving/enqueue.ts"
import { notices } from "../notices/table.ts"
import { leaveDirectory } from "./delete-team.ts"
import { deletedTeams } from "./table.ts"

const ROWS_A_ROUND = 500
const ROUNDS_A_SWEEP = 40
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

/** Deletes the data of deleted teams, the oldest deletion first. */
export async function sweepDeletedTeams(work: Work): Promise<void> {
  const [team] = await work.db
    .select()
    .from(deletedTeams)
    .orderBy(asc(deletedTeams.deletedAt))
    .limit(1)
  if (!team) return
  const mayGoOn = createBudget(work)
  if (!(await deleteDomains(work, team.id))) return
  let isEmpty = true
  for (const table of TABLES) {
    for (;;) {
      if (!mayGoOn()) return
      const deleted = await deleteRows(work, team.id, table)
      if (deleted > 0) isEmpty = false
      if (deleted < ROWS_A_ROUND) break
    }
  }
  const { deletedAt } = team
  if (isEmpty && deletedAt <= work.now() - SETTLED_AFTER_MS) await finish(work, team.id)
  // The deletion was noted by a clock that was ahead.
  if (deletedAt > work.now() + CLOCKS_APART_MS) await settleFromNowOn(work, team.id)
}

const settleFromNowOn = (work: Work, id: string) =>
  work.db.update(deletedTeams).set({ deletedAt: work.now() }).where(eq(deletedTeams.id, id))

function createBudget(work: Work): () => boolean {
  const until = work.now() + WITHIN_MS
  let rounds = 0
  return () => rounds++ < ROUNDS_A_SWEEP + TABLES.length && work.now() < until
}

async function deleteRows(work: Work, teamId: string, table: Table): Promise<number> {
  const { columns, primaryKeys } = getTableConfig(table)
  const key = sql.join(primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary), sql`, `)
  const objectKey = "objectKey" in table ? table.objectKey : sql<null>`null`
  // A pack without its object yet is left to the sweep of lost packs.
  const isWritten = "openSince" in table ? sql`and ${table.openSince} is null` : sql``
  const isListed = sql`(${key}) in (
    select ${key} from ${table} where ${table.teamId} = ${teamId} ${isWritten} limit ${ROWS_A_ROUND})`
  // The objects go first: a row leads the next sweep to an object that is still there.
  if ("objectKey" in table) {
    await deleteObjects(work.env, await work.db.select({ objectKey }).from(table).where(isListed))
  }
  const rows = await work.db.delete(table).where(isListed).returning({ objectKey })
  await deleteObjects(work.env, rows)
  return rows.length
}

/** Answers whether no domain is left. Records that cannot be deleted outside stay there. */
async function deleteDomains(work: Work, teamId: string): Promise<boolean> {
  const owned = await work.db
    .select()
    .from(domains)
    .where(eq(domains.teamId, teamId))
    .limit(DOMAINS_A_SWEEP)
  for (const domain of owned) {
    await removeOutside(work, domain).catch((error) => logError(error, { domainId: domain.id }))
    await work.db
      .delete(domains)
      .where(sql`${domains.teamId} = ${teamId} and ${domains.id} = ${domain.id}`)
  }
  return owned.length < DOMAINS_A_SWEEP
}

async function removeOutside(work: Work, domain: DomainRow): Promise<void> {
  await removeIdentity(work, domain)
  await removeDnsRecords(work.settings, domain)
}

async function finish(work: Work, teamId: string): Promise<void> {
  await deleteObjectsOfTeam(work.env, teamId)
  await forgetRemovals(work, teamId)
  await leaveDirectory(work, teamId)
  await deleteSourceNow(work, teamId)
  await work.db.batch([
    work.db.delete(apiKeys).where(eq(apiKeys.teamId, teamId)),
    work.db.delete(deletedTeams).where(eq(deletedTeams.id, teamId)),
  ])
}
