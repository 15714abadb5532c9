import { eq, getTableName, gt, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { logError } from "../../../lib/log.ts"
import { CLOCKS_APART_MS, HOUR_MS } from "../../../lib/time.ts"
import { within } from "../../../lib/within.ts"
import { apiKeys } from "../../access/keys/table.ts"
import { removeDnsRecords } from "../../domains/dns/auto-dns.ts"
import { removeIdentity } from "../../domains/identity.ts"
import { type DomainRow, domains } from "../../domains/table.ts"
import type { Work } from "../../platform/context.ts"
import { resultColumns } from "../../platform/db/columns.ts"
import { deleteObjects, deleteObjectsOfTeam } from "../../platform/db/overflow.ts"
import { columnsOf, keyInTeam, teamColumn } from "../../platform/db/rows.ts"
import { forgetRemovals } from "../../removals/keep.ts"
import { ANSWERS_WITHIN_MS } from "../../stream/outbox.ts"
import { deleteStreams } from "../../stream/stream-of.ts"
import { TABLES } from "../tables.ts"
import { leaveDirectory } from "./delete-team.ts"
import { deletedTeams } from "./table.ts"

const TEAMS_A_SWEEP = 50
const ROWS_A_ROUND = 500
const ROUNDS_A_SWEEP = 80
const WITHIN_MS = 10_000
const DOMAINS_A_SWEEP = 3

/** Calls that began earlier may still write. The sweep goes on until no row came for this long. */
const SETTLED_AFTER_MS = HOUR_MS

const SWEPT = TABLES.filter(({ owner, isDeletedApart }) => owner === "team" && !isDeletedApart).map(
  ({ table }) => table,
)

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
  tables: SQLiteTable[]
}

/** The oldest deletions first. */
async function readDeletedTeams({ db }: Work): Promise<DeletedTeam[]> {
  const { id, deletedAt } = deletedTeams
  const has = (table: SQLiteTable) => sql`exists (
    select 1 from ${table} where ${teamColumn(table)} = ${id} and ${isDeletable(table)})`
  const rows = await db.all<{ id: string; deletedAt: number } & Record<string, unknown>>(sql`
    select ${resultColumns({
      id,
      deletedAt,
      ...Object.fromEntries([domains, ...SWEPT].map((table) => [getTableName(table), has(table)])),
    })}
    from ${deletedTeams} order by ${deletedAt} limit +${TEAMS_A_SWEEP}`)
  return rows.map((row) => ({
    id: row.id,
    deletedAt: row.deletedAt,
    hasDomains: Boolean(row[getTableName(domains)]),
    tables: SWEPT.filter((table) => row[getTableName(table)]),
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
function isDeletable(table: SQLiteTable) {
  const { openSince } = columnsOf(table)
  return openSince ? sql`${openSince} is null` : sql`true`
}

async function deleteRows(work: Work, teamId: string, table: SQLiteTable): Promise<number> {
  const team = teamColumn(table) as SQLiteColumn
  const { objectKey } = columnsOf(table)
  const key = sql.join([team, ...keyInTeam(table)], sql`, `)
  const isListed = sql`(${key}) in (
    select ${key} from ${table} where ${team} = ${teamId} and ${isDeletable(table)} limit +${ROWS_A_ROUND})`
  const kept = { objectKey: sql<string | null>`${objectKey ?? null}` }
  // The objects go first: a row leads the next sweep to an object that is still there.
  if (objectKey) {
    await deleteObjects(work.env, await work.db.select(kept).from(table).where(isListed))
  }
  const rows = await work.db.delete(table).where(isListed).returning(kept)
  await deleteObjects(work.env, rows)
  return rows.length
}

/** Records that cannot be deleted outside stay there. A team with many domains delays no other. */
async function deleteDomains(work: Work): Promise<void> {
  for (let done = 0; done < DOMAINS_A_SWEEP; done++) {
    // One at a time: it may have taken over the DNS records of the one before.
    const [domain] = await work.db
      .select()
      .from(domains)
      .where(sql`${domains.teamId} in (select ${deletedTeams.id} from ${deletedTeams})`)
      .orderBy(sql`row_number() over (partition by ${domains.teamId})`, sql`random()`)
      .limit(1)
    if (!domain) return
    await removeOutside(work, domain)
    await work.db
      .delete(domains)
      .where(sql`${domains.teamId} = ${domain.teamId} and ${domains.id} = ${domain.id}`)
  }
}

async function removeOutside(work: Work, domain: DomainRow): Promise<void> {
  const { stopRouting } = await import("../../domains/routing/check.ts")
  const removed = await Promise.allSettled([
    stopRouting(work, domain),
    removeIdentity(work, domain),
    removeDnsRecords(work, domain),
  ])
  for (const one of removed)
    if (one.status === "rejected") logError(one.reason, { domainId: domain.id })
}

async function finish(work: Work, teamId: string): Promise<void> {
  await deleteObjectsOfTeam(work.env, teamId)
  await forgetRemovals(work, teamId)
  await leaveDirectory(work, teamId)
  await within(ANSWERS_WITHIN_MS, deleteStreams(work.env, teamId))
  await work.db.batch([
    work.db.delete(apiKeys).where(eq(apiKeys.teamId, teamId)),
    work.db.delete(deletedTeams).where(eq(deletedTeams.id, teamId)),
  ])
}
