import { asc, eq, sql } from "drizzle-orm"
import { removeDnsRecords } from "../domains/auto-dns.ts"
import { removeIdentity } from "../domains/identity.ts"
import { isClaim } from "../domains/rivals.ts"
import { type DomainRow, domains } from "../domains/table.ts"
import type { Work } from "../env.ts"
import { logError } from "../lib/log.ts"
import { HOUR_MS } from "../lib/time.ts"
import { deletedTeams } from "./table.ts"

const ROWS_A_ROUND = 500
const ROUNDS_A_SWEEP = 40
const WITHIN_MS = 10_000
const DOMAINS_A_SWEEP = 3

/** Calls that began earlier may still write. The sweep goes on until no row came for this long. */
const SETTLED_AFTER_MS = HOUR_MS

/** A team's tables with their primary keys. Emails come first, so that none is claimed again. */
const TABLES: [table: string, key: string, isInR2?: true][] = [
  ["emails", "team_id, id"],
  ["email_contents", "team_id, email_id", true],
  ["email_recipients", "team_id, address, email_id"],
  ["email_tags", "team_id, tag, email_id"],
  ["email_events", "team_id, email_id, id"],
  ["sandbox_messages", "team_id, email_id", true],
  ["campaign_pages", "team_id, campaign_id, id"],
  ["campaign_bodies", "team_id, campaign_id", true],
  ["campaign_runs", "team_id, campaign_id"],
  ["campaigns", "team_id, id"],
  ["contacts", "team_id, book_id, id"],
  ["contact_books", "team_id, id"],
  ["deleted_books", "team_id, id"],
  ["template_versions", "team_id, template_id, version"],
  ["templates", "team_id, id"],
  ["layouts", "team_id, id"],
  ["suppressions", "team_id, email"],
  ["erasures", "team_id, email"],
  ["deliveries", "team_id, webhook_id, id"],
  ["webhooks", "team_id, id"],
  ["deleted_webhooks", "team_id, id"],
  ["events", "team_id, sequence"],
  ["event_sequences", "team_id"],
  ["stream_outbox", "team_id, id"],
  ["stats_days", "team_id, day"],
  ["notices", "team_id, kind, day"],
  ["invitations", "team_id, id"],
  ["audit_log", "team_id, id"],
]

export const SWEPT_TABLES = TABLES.map(([table]) => table)

/** Deletes the data of deleted teams, the oldest deletion first. */
export async function sweepDeletedTeams(work: Work): Promise<void> {
  const [team] = await work.db
    .select()
    .from(deletedTeams)
    .orderBy(asc(deletedTeams.deletedAt))
    .limit(1)
  if (!team) return
  const mayGoOn = openBudget(work)
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
  if (isEmpty && team.deletedAt <= work.now() - SETTLED_AFTER_MS) await finish(work, team.id)
}

function openBudget(work: Work): () => boolean {
  const until = work.now() + WITHIN_MS
  let rounds = 0
  return () => rounds++ < ROUNDS_A_SWEEP + TABLES.length && work.now() < until
}

/** The names come from the list above. */
async function deleteRows(
  work: Work,
  teamId: string,
  [table, key, isInR2]: (typeof TABLES)[number],
): Promise<number> {
  const rows = await work.db.all<{ objectKey: string | null }>(sql`
    delete from ${sql.raw(table)} where (${sql.raw(key)}) in (
      select ${sql.raw(key)} from ${sql.raw(table)} where team_id = ${teamId} limit ${ROWS_A_ROUND})
    returning ${sql.raw(isInR2 ? "object_key" : "null")} as "objectKey"`)
  const keys = rows.flatMap(({ objectKey }) => objectKey ?? [])
  if (keys.length > 0) await work.env.CONTENT.delete(keys)
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
  const claims = await work.db
    .select({ id: domains.id })
    .from(domains)
    .where(sql`${domains.name} = ${domain.name} and ${isClaim}`)
  if (claims.every(({ id }) => id === domain.id)) await removeIdentity(work, domain.name)
  await removeDnsRecords(work.settings, domain)
}

const finish = (work: Work, teamId: string) =>
  work.db.batch([
    work.db.run(sql`delete from api_keys where team_id = ${teamId}`),
    work.db.delete(deletedTeams).where(eq(deletedTeams.id, teamId)),
  ])
