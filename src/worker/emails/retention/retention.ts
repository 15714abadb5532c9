import { inArray, not, sql } from "drizzle-orm"
import { firstIdAt, timeOf } from "../../../lib/id.ts"
import { DAY_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { deleteWithObjects, purgeInTurns } from "../../teams/purge.ts"
import { teams } from "../../teams/table.ts"
import { purgePacks } from "../packs/purge.ts"
import { OPEN_STATUSES } from "../statuses.ts"
import {
  emailContents,
  emailEvents,
  emailRecipients,
  emails,
  emailTags,
  emailWords,
  type Recipient,
} from "../table.ts"
import { scheduledEndedAt } from "./ended-at.ts"
import { forgetOldPositions, movePositions, positionOf } from "./purge-position.ts"

/** Purges content and records after their days of retention. Teams take turns. */
export async function purgeExpired(work: Work): Promise<void> {
  const { CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS } = work.settings
  const olderThan = (days: number) => firstIdAt("email", work.now() - days * DAY_MS)
  await forgetOldPositions(work)
  await purgeContents(work, olderThan(Math.min(CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS)))
  await purgePacks(work)
  await purgeRecords(work, olderThan(RECORD_RETENTION_DAYS))
  await purgeWords(work, olderThan(RECORD_RETENTION_DAYS))
}

/** A scheduled email keeps its content, however old the record is. */
const hasEnded = not(inArray(emails.status, OPEN_STATUSES))

const endedBefore = (before: string) => sql`${scheduledEndedAt} < ${timeOf(before)}`

function purgeContents(work: Work, before: string) {
  const isExpired = sql`${emailContents.teamId} = ${teams.id}
    and ${emailContents.emailId} > ${positionOf("contents")} and ${emailContents.emailId} < ${before}`
  const rows = sql`select 1 from email_contents where ${isExpired}`
  const values = sql`
    select ${emailContents.emailId} as value from email_contents
    cross join emails on ${emails.teamId} = ${emailContents.teamId}
      and ${emails.id} = ${emailContents.emailId}
    where ${isExpired} and ${hasEnded} and ${endedBefore(before)} order by ${emailContents.emailId}`
  return purgeInTurns(work, values, async (select, round) => {
    const purged = await deleteWithObjects(work, emailContents, select)
    await movePositions(work, { kind: "contents", before, rows }, purged, round)
    return purged
  })
}

function purgeRecords(work: Work, before: string) {
  const isExpired = sql`${emails.teamId} = ${teams.id}
    and ${emails.id} > ${positionOf("records")} and ${emails.id} < ${before}`
  const rows = sql`select 1 from emails where ${isExpired}`
  const values = sql`
    select ${emails.id} as value from emails
    where ${isExpired} and ${hasEnded} and ${endedBefore(before)} order by ${emails.id}`
  return purgeInTurns(work, values, async (select, round) => {
    const expired = await work.db.all<ExpiredRow>(select)
    if (expired.length > 0) await deleteRecords(work, expired)
    await movePositions(work, { kind: "records", before, rows }, expired, round)
    return expired
  })
}

/** A row has emails of one day. It stays as long as one of them does. */
function purgeWords(work: Work, before: string) {
  const values = sql`
    select ${emailWords.firstId} as value from email_words
    where ${emailWords.teamId} = ${teams.id} and ${emailWords.firstId} < ${before}
      and ${emailWords.lastId} < ${before}
    order by ${emailWords.firstId}`
  const { teamId, id } = jsonFields<ExpiredRow>()
  return purgeInTurns(work, values, async (select) => {
    const expired = await work.db.all<ExpiredRow>(select)
    if (expired.length > 0) {
      await work.db.delete(emailWords).where(sql`(${emailWords.teamId}, ${emailWords.firstId}) in (
        select ${teamId}, ${id} from ${jsonRows(expired)})`)
    }
    return expired
  })
}

interface ExpiredRow {
  teamId: string
  id: string
}

/** A statement each: SQLite uses no index for several columns in a union. */
const TAG_FORMS = [sql`t.key`, sql`t.key || ':' || t.value`]

async function deleteRecords(work: Work, expired: readonly ExpiredRow[]): Promise<void> {
  const { teamId, id } = jsonFields<ExpiredRow>()
  const listed = sql`select ${teamId}, ${id} from ${jsonRows(expired)}`
  const isExpired = sql`(${emails.teamId}, ${emails.id}) in (${listed})`
  const address = jsonFields<Recipient>("r").address
  await work.db.batch([
    work.db.delete(emailRecipients).where(sql`
      (${emailRecipients.teamId}, ${emailRecipients.address}, ${emailRecipients.emailId}) in (
        select ${emails.teamId}, ${address}, ${emails.id}
        from ${emails}, json_each(${emails.recipients}) r where ${isExpired})`),
    ...TAG_FORMS.map((tag) =>
      work.db.delete(emailTags).where(sql`
        (${emailTags.teamId}, ${emailTags.tag}, ${emailTags.emailId}) in (
          select ${emails.teamId}, ${tag}, ${emails.id}
          from ${emails}, json_each(${emails.tags}) t where ${isExpired})`),
    ),
    work.db
      .delete(emailEvents)
      .where(sql`(${emailEvents.teamId}, ${emailEvents.emailId}) in (${listed})`),
    work.db.delete(emails).where(isExpired),
  ])
}
