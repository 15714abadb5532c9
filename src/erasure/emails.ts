import { and, asc, eq, getTableColumns, gt, sql } from "drizzle-orm"
import { subjectOfNobody } from "../campaigns/body.ts"
import type { Query } from "../db/client.ts"
import { emailRecipients, emails } from "../emails/table.ts"
import type { Work } from "../env.ts"
import { jsonChunks } from "../lib/json.ts"
import { recordEvents } from "../outcomes/record.ts"
import { reportOf } from "../queues/report.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { type Eraser, openEraser } from "./erased-email.ts"
import { eraseTimelines } from "./timelines.ts"

const EMAILS_A_ROUND = 200
const ROUNDS_AT_A_TIME = 20

interface Erased {
  emails: number
  /** There are more, or a provider is just being handed some: they have to be looked at again. */
  unfinished: boolean
}

/** Puts a hash where the mail log names an address, deletes what was said to it, cancels the rest. */
export async function eraseEmails(work: Work, teamId: string, email: string): Promise<Erased> {
  const eraser = openEraser(email)
  const erased: Erased = { emails: 0, unfinished: false }
  let after = ""
  for (let round = 0; round < ROUNDS_AT_A_TIME; round++) {
    const logged = await selectLogged(work, teamId, email, after)
    const left = await eraseRound(work, { teamId, email, eraser, logged })
    erased.emails += logged.length
    erased.unfinished ||= left > 0
    after = logged.at(-1)?.id ?? ""
    if (logged.length < EMAILS_A_ROUND) return erased
  }
  return { ...erased, unfinished: true }
}

type Logged = Awaited<ReturnType<typeof selectLogged>>[number]

const selectLogged = (work: Work, teamId: string, email: string, after: string) =>
  work.db
    .select({
      ...getTableColumns(emails),
      campaign: sql<string | null>`(
        select json_object('subject', k.subject, 'mergeDefaults', json(k.merge_defaults))
        from campaigns k where k.team_id = emails.team_id and k.id = emails.campaign_id)`,
      contentKey: sql<string | null>`(select c.object_key from email_contents c
        where c.team_id = emails.team_id and c.email_id = emails.id)`,
      inboxKey: sql<string | null>`(select m.object_key from sandbox_messages m
        where m.team_id = emails.team_id and m.email_id = emails.id)`,
    })
    .from(emailRecipients)
    .innerJoin(
      emails,
      and(eq(emails.teamId, emailRecipients.teamId), eq(emails.id, emailRecipients.emailId)),
    )
    .where(
      and(
        eq(emailRecipients.teamId, teamId),
        eq(emailRecipients.address, email),
        gt(emailRecipients.emailId, after),
      ),
    )
    .orderBy(asc(emailRecipients.emailId))
    .limit(EMAILS_A_ROUND)

interface Round {
  teamId: string
  email: string
  eraser: Eraser
  logged: readonly Logged[]
}

/**
 * By the emails' own rows first: from then on what is reported late is kept without the address.
 * The row by which an email is found moves last, so that what breaks off is found again; says how
 * many are to be.
 */
async function eraseRound(work: Work, round: Round): Promise<number> {
  const { teamId, eraser, logged } = round
  if (logged.length === 0) return 0
  await cancelPending(work, teamId, logged)
  const objectKeys = logged
    .flatMap(({ contentKey, inboxKey }) => [contentKey, inboxKey])
    .filter((key) => key !== null)
  if (objectKeys.length > 0) await work.env.CONTENT.delete(objectKeys)
  const [first, ...more] = rewrites(work, round)
  if (first) await work.db.batch([first, ...more])
  const subjects = new Map(logged.map((email) => [email.id, subjectInPlace(email)]))
  await eraseTimelines(work, { teamId, eraser, subjects })
  const moved = await moveRecipients(work, round)
  return logged.length - moved.length
}

async function cancelPending(work: Work, teamId: string, logged: readonly Logged[]) {
  const pending = logged.filter(({ status }) => status === "queued" || status === "scheduled")
  await recordEvents(
    work,
    pending.map(({ id }) =>
      reportOf({ teamId, emailId: id }, "cancelled", work.now(), { reason: "erased" }),
    ),
  )
}

/** A campaign's subject was filled in from the contact: as a contact without any values has it. */
function subjectInPlace({ campaignId, campaign }: Logged): string | undefined {
  if (campaignId === null) return undefined
  return campaign === null ? "(erased)" : subjectOfNobody(JSON.parse(campaign))
}

/** The key of a repeated request goes where it names the address: a hash in it could meet another. */
function rewrites(work: Work, { teamId, eraser, logged }: Round): Query[] {
  const rows = logged.map((email) => ({
    ...eraser.eraseEmail(email, subjectInPlace(email)),
    teamId,
    id: email.id,
    errorBefore: email.lastError,
    keepsKey: eraser.redact(email.idempotencyKey) === email.idempotencyKey,
  }))
  const ids = JSON.stringify(logged.map(({ id }) => id))
  const ofThem = sql`team_id = ${teamId} and email_id in (select value from json_each(${ids}))`
  return [
    ...jsonChunks(rows).map((chunk) =>
      work.db.run(sql`
        update emails set sender = x.value -> 'sender', recipients = x.value -> 'recipients',
          reply_to = x.value -> 'replyTo', subject = x.value ->> 'subject', tags = x.value -> 'tags',
          last_error = iif(last_error is x.value ->> 'errorBefore', x.value ->> 'lastError', last_error),
          idempotency_key = iif(x.value ->> 'keepsKey', idempotency_key, null),
          fingerprint = iif(x.value ->> 'keepsKey', fingerprint, null)
        from json_each(${chunk}) x
        where emails.team_id = x.value ->> 'teamId' and emails.id = x.value ->> 'id'`),
    ),
    ...moveTags(work, teamId, eraser, logged),
    work.db.run(sql`delete from email_contents where ${ofThem}`),
    work.db.run(sql`delete from sandbox_messages where ${ofThem}`),
  ]
}

function moveTags(work: Work, teamId: string, { redact }: Eraser, logged: readonly Logged[]) {
  const moved = logged.flatMap(({ id, tags }) =>
    Object.entries(tags)
      .map(([key, value]) => ({ id, tag: `${key}:${value}`, erased: `${key}:${redact(value)}` }))
      .filter(({ tag, erased }) => tag !== erased),
  )
  return jsonChunks(moved).flatMap((chunk) => [
    work.db.run(sql`delete from email_tags where (team_id, tag, email_id) in (
      select ${teamId}, value ->> 'tag', value ->> 'id' from json_each(${chunk}))`),
    work.db.run(sql`insert or ignore into email_tags (team_id, tag, email_id)
      select ${teamId}, value ->> 'erased', value ->> 'id' from json_each(${chunk})`),
  ])
}

/** Not while a lease lasts: the test inbox may get a copy of what a provider is being handed. */
const moveRecipients = (work: Work, { teamId, email, logged }: Round) =>
  work.db.all(sql`
    update or replace email_recipients set address = ${erasedForm(email)}
    where (team_id, address, email_id) in (
      select e.team_id, ${email}, e.id
      from json_each(${JSON.stringify(logged.map(({ id }) => id))}) x
      cross join emails e on e.team_id = ${teamId} and e.id = x.value
      where e.status <> 'sending'
        and not (e.status = 'cancelled' and e.attempts > 0 and e.not_before > ${work.now()})
    ) returning email_id`)
