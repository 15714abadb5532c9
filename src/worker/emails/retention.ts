import { inArray, not, type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { firstIdAt } from "../../lib/id.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Work } from "../platform/context.ts"
import { jsonRows, membersOf } from "../platform/db/json-rows.ts"
import { deleteObjects } from "../platform/db/overflow.ts"
import { purgeInTurns } from "../teams/purge.ts"
import { teams } from "../teams/table.ts"
import { OPEN_STATUSES } from "./statuses.ts"
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
  await purgeInTurns(work, contents, (select) => purgeContents(work, select))
  await purgeInTurns(work, records, (select) => purgeRecords(work, select))
}

/** A scheduled email keeps its content, however old the record is. */
const hasEnded = not(inArray(e.status, OPEN_STATUSES))

async function purgeContents(work: Work, select: SQL) {
  const { teamId, emailId, objectKey } = emailContents
  const purged = await work.db
    .delete(emailContents)
    .where(sql`(${teamId}, ${emailId}) in (${select})`)
    .returning({ teamId, objectKey })
  await deleteObjects(work.env, purged)
  return purged
}

interface ExpiredRow {
  teamId: string
  id: string
}

async function purgeRecords(work: Work, select: SQL) {
  const expired = await work.db.all<ExpiredRow>(select)
  if (expired.length === 0) return expired
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
  return expired
}
