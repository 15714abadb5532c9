import { inArray, not, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { firstIdAt, timeOf } from "../../../lib/id.ts"
import { DAY_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { deleteWithObjects, purgeInTurns } from "../../teams/purge.ts"
import { teams } from "../../teams/table.ts"
import { purgePacks } from "../packs/purge.ts"
import { OPEN_STATUSES } from "../statuses.ts"
import {
  e,
  emailContents,
  emailEvents,
  emailRecipients,
  emails,
  emailTags,
  emailWords,
  type Recipient,
} from "../table.ts"
import { forgetOldPositions, movePositions, positionOf } from "./purge-position.ts"

const c = alias(emailContents, "c")
const w = alias(emailWords, "w")

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
const hasEnded = not(inArray(e.status, OPEN_STATUSES))

/** The days of a scheduled email count from when it was sent: readers and reports come after that. */
const wasSentBefore = (before: string) =>
  sql`iif(${e.scheduledAt} is null, 0, coalesce(${e.sentAt}, 0)) < ${timeOf(before)}`

function purgeContents(work: Work, before: string) {
  const isExpired = sql`${c.teamId} = ${teams.id}
    and ${c.emailId} > ${positionOf("contents")} and ${c.emailId} < ${before}`
  const rows = sql`select 1 from email_contents c where ${isExpired}`
  const values = sql`
    select ${c.emailId} as value from email_contents c
    cross join emails e on ${e.teamId} = ${c.teamId} and ${e.id} = ${c.emailId}
    where ${isExpired} and ${hasEnded} and ${wasSentBefore(before)} order by ${c.emailId}`
  return purgeInTurns(work, values, async (select, round) => {
    const purged = await deleteWithObjects(work, emailContents, select)
    await movePositions(work, { kind: "contents", before, rows }, purged, round)
    return purged
  })
}

function purgeRecords(work: Work, before: string) {
  const isExpired = sql`${e.teamId} = ${teams.id}
    and ${e.id} > ${positionOf("records")} and ${e.id} < ${before}`
  const rows = sql`select 1 from emails e where ${isExpired}`
  const values = sql`
    select ${e.id} as value from emails e
    where ${isExpired} and ${hasEnded} and ${wasSentBefore(before)} order by ${e.id}`
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
    select ${w.firstId} as value from email_words w
    where ${w.teamId} = ${teams.id} and ${w.firstId} < ${before} and ${w.lastId} < ${before}
    order by ${w.firstId}`
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
