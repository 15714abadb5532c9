import { type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { jsonRows, membersOf } from "../db/json-rows.ts"
import { shareOf } from "../db/share.ts"
import type { Work } from "../env.ts"
import { firstIdAt } from "../lib/id.ts"
import { inTurns, ROUND } from "../lib/rounds.ts"
import { DAY_MS } from "../lib/time.ts"
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
  const time = { now: work.now, withinMs: PURGE_WITHIN_MS }
  const contents = olderThan(work, Math.min(CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS))
  await inTurns(time, (after, share) =>
    purgeContents(
      work,
      selectShares(
        sql`select ${c.emailId} as piece from email_contents c
        cross join emails e on ${e.teamId} = ${c.teamId} and ${e.id} = ${c.emailId}
        where ${c.teamId} = ${teams.id} and ${c.emailId} < ${contents} and ${hasEnded}`,
        after,
        share,
      ),
    ),
  )
  const records = olderThan(work, RECORD_RETENTION_DAYS)
  await inTurns(time, (after, share) =>
    purgeRecords(
      work,
      selectShares(
        sql`select ${e.id} as piece from emails e
        where ${e.teamId} = ${teams.id} and ${e.id} < ${records} and ${hasEnded}`,
        after,
        share,
      ),
    ),
  )
}

const olderThan = (work: Work, days: number) => firstIdAt("email", work.now() - days * DAY_MS)

/** A scheduled email keeps its content, however old the record is. */
const hasEnded = sql`${e.status} not in ('queued', 'scheduled', 'sending')`

const selectShares = (emailIds: SQL, after: string, share: number) => sql`
  select ${teams.id} as teamId, x.value as id from ${teams} cross join ${shareOf(emailIds, share)} x
  where ${teams.id} > ${after} order by ${teams.id} limit ${ROUND}`

async function purgeContents(work: Work, expired: SQL): Promise<string[]> {
  const { teamId, emailId, objectKey } = emailContents
  const purged = await work.db
    .delete(emailContents)
    .where(sql`(${teamId}, ${emailId}) in (${expired})`)
    .returning({ teamId, objectKey })
  const keys = purged.flatMap(({ objectKey }) => objectKey ?? [])
  if (keys.length > 0) await work.env.CONTENT.delete(keys)
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
