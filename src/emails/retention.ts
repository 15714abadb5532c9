import { type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { jsonRows, membersOf } from "../db/json-rows.ts"
import { deleteObjects } from "../db/overflow.ts"
import type { Work } from "../env.ts"
import { firstIdAt } from "../lib/id.ts"
import { inTurns } from "../lib/rounds.ts"
import { DAY_MS } from "../lib/time.ts"
import { sharesOfTeams } from "../teams/shares.ts"
import { teams } from "../teams/table.ts"
import {
  e,
  emailContents,
  emailEvents,
  emailRecipients,
  emails,
  emailTags,
  type Recipient,
} from "./table.ts"

const c = alias(emailContents, "c")

const PURGE_WITHIN_MS = 10_000

/** Purges content and records after their days of retention. Teams take turns. */
export async function purgeExpired(work: Work): Promise<void> {
  const { CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS } = work.settings
  const olderThan = (days: number) => firstIdAt("email", work.now() - days * DAY_MS)
  const contents = sql`
    select ${c.emailId} as piece from email_contents c
    cross join emails e on ${e.teamId} = ${c.teamId} and ${e.id} = ${c.emailId}
    where ${c.teamId} = ${teams.id} and ${hasEnded}
      and ${c.emailId} < ${olderThan(Math.min(CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS))}`
  const records = sql`
    select ${e.id} as piece from emails e
    where ${e.teamId} = ${teams.id} and ${hasEnded} and ${e.id} < ${olderThan(RECORD_RETENTION_DAYS)}`
  await inTurns(work, PURGE_WITHIN_MS, (round) =>
    purgeContents(work, sharesOfTeams(contents, round)),
  )
  await inTurns(work, PURGE_WITHIN_MS, (round) => purgeRecords(work, sharesOfTeams(records, round)))
}

/** A scheduled email keeps its content, however old the record is. */
const hasEnded = sql`${e.status} not in ('queued', 'scheduled', 'sending')`

async function purgeContents(work: Work, expired: SQL): Promise<string[]> {
  const { teamId, emailId, objectKey } = emailContents
  const purged = await work.db
    .delete(emailContents)
    .where(sql`(${teamId}, ${emailId}) in (${expired})`)
    .returning({ teamId, objectKey })
  await deleteObjects(work.env, purged)
  return purged.map(({ teamId }) => teamId)
}

interface ExpiredRow {
  teamId: string
  id: string
}

async function purgeRecords(work: Work, selectExpired: SQL): Promise<string[]> {
  const expired = await work.db.all<ExpiredRow>(selectExpired)
  if (expired.length === 0) return []
  const { teamId, id } = membersOf<ExpiredRow>()
  const listed = sql`select ${teamId}, ${id} from ${jsonRows(expired)}`
  const isExpired = sql`(${emails.teamId}, ${emails.id}) in (${listed})`
  const address = membersOf<Recipient>("r").address
  await work.db.batch([
    work.db.delete(emailRecipients).where(sql`
      (${emailRecipients.teamId}, ${emailRecipients.address}, ${emailRecipients.emailId}) in (
        select ${emails.teamId}, ${address}, ${emails.id}
        from ${emails}, json_each(${emails.recipients}) r where ${isExpired})`),
    work.db.delete(emailTags).where(sql`
      (${emailTags.teamId}, ${emailTags.tag}, ${emailTags.emailId}) in (
        select ${emails.teamId}, t.key, ${emails.id}
        from ${emails}, json_each(${emails.tags}) t where ${isExpired}
        union all
        select ${emails.teamId}, t.key || ':' || t.value, ${emails.id}
        from ${emails}, json_each(${emails.tags}) t where ${isExpired})`),
    work.db
      .delete(emailEvents)
      .where(sql`(${emailEvents.teamId}, ${emailEvents.emailId}) in (${listed})`),
    work.db.delete(emails).where(isExpired),
  ])
  return expired.map(({ teamId }) => teamId)
}
