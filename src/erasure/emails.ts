import { and, asc, eq, getTableColumns, gt, sql } from "drizzle-orm"
import { subjectOfNobody } from "../campaigns/body.ts"
import type { Query } from "../db/client.ts"
import { jsonMembersOf, jsonRowChunks, membersOf } from "../db/json-rows.ts"
import { emailRecipients, emails } from "../emails/table.ts"
import type { Work } from "../env.ts"
import { recordEvents } from "../outcomes/record.ts"
import { reportOf } from "../queues/report.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { type Eraser, openEraser } from "./erased-email.ts"
import { eraseTimelines } from "./timelines.ts"

const EMAILS_A_ROUND = 200
const ROUNDS_AT_A_TIME = 20

interface Erased {
  emails: number
  /** There are more, or a provider is taking some right now: the next sweep goes on. */
  unfinished: boolean
}

/** Puts a hash in place of an address in the mail log, deletes contents, cancels pending emails. */
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
 * The emails' own rows come first: from then on late reports are kept without the address. The row
 * by which an email is found comes last, so an erasure that broke off finds the email again. Answers
 * with the number of emails that have to be found again.
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

/** The subject of a campaign for a contact without any values: the real one names the contact. */
function subjectInPlace({ campaignId, campaign }: Logged): string | undefined {
  if (campaignId === null) return undefined
  return campaign === null ? "(erased)" : subjectOfNobody(JSON.parse(campaign))
}

/** An idempotency key that names the address is deleted: with a hash it could equal another key. */
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
  const x = membersOf<(typeof rows)[number]>()
  const json = jsonMembersOf<(typeof rows)[number]>()
  return [
    ...jsonRowChunks(rows).map((chunk) =>
      work.db.run(sql`
        update emails set sender = ${json.sender}, recipients = ${json.recipients},
          reply_to = ${json.replyTo}, subject = ${x.subject}, tags = ${json.tags},
          last_error = iif(${emails.lastError} is ${x.errorBefore}, ${x.lastError}, ${emails.lastError}),
          idempotency_key = iif(${x.keepsKey}, ${emails.idempotencyKey}, null),
          fingerprint = iif(${x.keepsKey}, ${emails.fingerprint}, null)
        from ${chunk} where ${emails.teamId} = ${x.teamId} and ${emails.id} = ${x.id}`),
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
  const x = membersOf<(typeof moved)[number]>()
  return jsonRowChunks(moved).flatMap((chunk) => [
    work.db.run(sql`delete from email_tags where (team_id, tag, email_id) in (
      select ${teamId}, ${x.tag}, ${x.id} from ${chunk})`),
    work.db.run(sql`insert or ignore into email_tags (team_id, tag, email_id)
      select ${teamId}, ${x.erased}, ${x.id} from ${chunk}`),
  ])
}

/** Waits for the end of a lease: until then the test inbox may still get a copy of the email. */
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
