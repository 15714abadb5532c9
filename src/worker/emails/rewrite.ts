import { and, eq, sql } from "drizzle-orm"
import { jsonChunks } from "../../lib/json.ts"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { assignments, insertInto, resultColumns } from "../platform/db/columns.ts"
import { isOneOf, jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import {
  type EmailRow,
  emailContents,
  emailEvents,
  emailRecipients,
  emails,
  emailTags,
  emailWords,
} from "./table.ts"
import { storedWords } from "./word-index/subject-words.ts"
import { wordsOfEmail } from "./word-index/words-of-email.ts"

/** An erasure of another address changes this text, too: a rewrite applies to the text that was read. */
export const addressesOf = sql<string>`${emails.recipients} || ${emails.replyTo}`

/** For an erasure: the new values of an email's record. */
interface RewrittenEmail
  extends Pick<
    EmailRow,
    "teamId" | "id" | "sender" | "recipients" | "replyTo" | "subject" | "tags" | "lastError"
  > {
  addressesBefore: string
  /** A consumer may have set another error since. */
  errorBefore: string | null
  keepsKey: boolean
  /** The content is still to be erased in its pack. */
  keepsPack: boolean
}

/** The answers have the emails that were rewritten. */
export function rewriteEmails(work: Work, rows: readonly RewrittenEmail[]) {
  const x = jsonFields<RewrittenEmail & { subjectWords: string | null }>()
  const json = jsonFields<RewrittenEmail>("x", "->")
  const set = assignments(emails, {
    sender: json.sender,
    recipients: json.recipients,
    replyTo: json.replyTo,
    subject: x.subject,
    subjectWords: x.subjectWords,
    tags: json.tags,
    lastError: sql`iif(${emails.lastError} is ${x.errorBefore}, ${x.lastError}, ${emails.lastError})`,
    faults: sql`(select json_group_array(json_object('at', f.value ->> 'at', 'answer', null))
      from json_each(${emails.faults}) f)`,
    idempotencyKey: sql`iif(${x.keepsKey}, ${emails.idempotencyKey}, null)`,
    fingerprint: sql`iif(${x.keepsKey}, ${emails.fingerprint}, null)`,
    pack: sql`iif(${x.keepsPack}, ${emails.pack}, null)`,
  })
  const written = rows.map((row) => ({ ...row, subjectWords: storedWords(row.subject) }))
  return jsonChunks(written).map((chunk) =>
    work.db.all<{ id: string }>(sql`
      update emails set ${set} from ${jsonRows(chunk)}
      where ${emails.teamId} = ${x.teamId} and ${emails.id} = ${x.id}
        and ${addressesOf} = ${x.addressesBefore}
      returning ${resultColumns({ id: emails.id })}`),
  )
}

type WordedRow = Pick<RewrittenEmail, "id" | "recipients" | "subject">

/** Replaces the words that a search finds the emails by. */
export function rewriteWords(work: Work, teamId: string, rows: readonly WordedRow[]): Query {
  const texts = JSON.stringify(Object.fromEntries(rows.map((row) => [row.id, wordsOfEmail(row)])))
  return work.db.run(sql`
    update email_words set ${assignments(emailWords, {
      words: sql`json_patch(${emailWords.words}, x.texts)`,
    })}
    from (
      select ${emailWords.teamId} as team_id, ${emailWords.firstId} as first_id, json_group_object(t.key, t.value) as texts
      from json_each(${texts}) t cross join email_words
        on ${emailWords.teamId} = ${teamId} and ${emailWords.lastId} >= t.key and ${emailWords.firstId} = (
          select max(${emailWords.firstId}) from email_words
          where ${emailWords.teamId} = ${teamId} and ${emailWords.firstId} <= t.key)
      group by 1, 2
    ) x
    where ${emailWords.teamId} = x.team_id and ${emailWords.firstId} = x.first_id`)
}

interface RewrittenTag {
  emailId: string
  addressesBefore: string
  before: string
  after: string
}

/** Before `rewriteEmails` in its batch, so that both apply to the same emails. */
export function rewriteTags(work: Work, teamId: string, tags: readonly RewrittenTag[]): Query[] {
  const x = jsonFields<RewrittenTag>()
  return jsonChunks(tags).flatMap((chunk) => {
    const from = sql`from ${jsonRows(chunk)}
      cross join emails on ${emails.teamId} = ${teamId} and ${emails.id} = ${x.emailId}
      where ${addressesOf} = ${x.addressesBefore}`
    return [
      work.db.delete(emailTags).where(
        sql`(${emailTags.teamId}, ${emailTags.tag}, ${emailTags.emailId}) in (
          select ${teamId}, ${x.before}, ${x.emailId} ${from})`,
      ),
      work.db.run(
        insertInto(
          emailTags,
          { teamId, tag: x.after, emailId: x.emailId },
          sql`${from} on conflict do nothing`,
        ),
      ),
    ]
  })
}

export const deleteContents = (work: Work, teamId: string, emailIds: readonly string[]) =>
  work.db
    .delete(emailContents)
    .where(and(eq(emailContents.teamId, teamId), isOneOf(emailContents.emailId, emailIds)))

interface RewrittenEntry
  extends Pick<typeof emailEvents.$inferSelect, "teamId" | "emailId" | "id" | "data"> {
  before: string
}

/** The answers have the entries that were rewritten: an entry that changed since it was read stays. */
export function rewriteEntries(work: Work, rows: readonly RewrittenEntry[]) {
  const x = jsonFields<RewrittenEntry>()
  const { data } = jsonFields<RewrittenEntry>("x", "->")
  return jsonChunks(rows).map((chunk) =>
    work.db.all(sql`
      update email_events set ${assignments(emailEvents, { data })} from ${jsonRows(chunk)}
      where ${emailEvents.teamId} = ${x.teamId} and ${emailEvents.emailId} = ${x.emailId}
        and ${emailEvents.id} = ${x.id} and ${emailEvents.data} = ${x.before}
      returning ${emailEvents.id}`),
  )
}

/** Replaces the address of recipients, except while a consumer holds the lease of their email. */
export const rewriteRecipients = (
  work: Work,
  { teamId, before, after }: { teamId: string; before: string; after: string },
  emailIds: readonly string[],
) =>
  work.db.all(sql`
    update or replace email_recipients set ${assignments(emailRecipients, { address: after })}
    where (${emailRecipients.teamId}, ${emailRecipients.address}, ${emailRecipients.emailId}) in (
      select ${emails.teamId}, ${before}, ${emails.id}
      from json_each(${JSON.stringify(emailIds)}) x
      cross join emails on ${emails.teamId} = ${teamId} and ${emails.id} = x.value
      where ${emails.status} <> 'sending'
        and not (${emails.status} = 'cancelled' and ${emails.attempts} > 0
        and ${emails.notBefore} > ${work.now()})
    ) returning ${resultColumns({ emailId: emailRecipients.emailId })}`)

/** An email that was purged while its address was rewritten leaves its recipient's row behind. */
export const deleteLostRecipients = (work: Work, teamId: string, address: string) =>
  work.db.delete(emailRecipients).where(
    and(
      eq(emailRecipients.teamId, teamId),
      eq(emailRecipients.address, address),
      sql`not exists (select 1 from emails
          where ${emails.teamId} = ${teamId} and ${emails.id} = ${emailRecipients.emailId})`,
    ),
  )
