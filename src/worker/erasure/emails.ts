import { and, asc, eq, getTableColumns, gt, sql } from "drizzle-orm"
import { inRounds } from "../../lib/rounds.ts"
import { subjectOfNobody } from "../campaigns/body.ts"
import { campaigns } from "../campaigns/table.ts"
import { recordEvents } from "../emails/outcomes/record.ts"
import { reportOf } from "../emails/outcomes/report.ts"
import { eraseSmallContents } from "../emails/packs/erase.ts"
import {
  addressesOf,
  deleteContents,
  rewriteEmails,
  rewriteRecipients,
  rewriteTags,
  rewriteWords,
} from "../emails/rewrite.ts"
import { emailContents, emailRecipients, emails } from "../emails/table.ts"
import type { Work } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { deleteObjects } from "../platform/db/overflow.ts"
import { deleteMessages, sandboxMessages } from "../providers/sandbox/table.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { createEraser, type Eraser } from "./erased-email.ts"
import { eraseTimelines } from "./timelines.ts"

const ROUNDS = { rounds: 20, size: 200 }

interface Erased {
  emails: number
  /** There are more, or a provider is taking some right now: the next sweep goes on. */
  unfinished: boolean
}

/** Puts a hash in place of an address in the mail log, deletes contents, cancels pending emails. */
export async function eraseEmails(work: Work, teamId: string, email: string): Promise<Erased> {
  const eraser = createEraser(work.settings, email)
  let emails = 0
  let left = 0
  const isEnd = await inRounds(ROUNDS, async (size, last?: Logged) => {
    const logged = await selectLogged(work, teamId, email, size, last?.id)
    left += await eraseRound(work, { teamId, email, eraser, logged })
    emails += logged.length
    return logged
  })
  return { emails, unfinished: !isEnd || left > 0 }
}

type Logged = Awaited<ReturnType<typeof selectLogged>>[number]

const selectLogged = (work: Work, teamId: string, email: string, size: number, after = "") =>
  work.db
    .select({
      ...getTableColumns(emails),
      addressesBefore: addressesOf,
      campaign: sql<string | null>`(
        select json_object('subject', ${campaigns.subject}, 'mergeDefaults',
          json(${campaigns.mergeDefaults}))
        from campaigns where ${campaigns.teamId} = ${emails.teamId}
          and ${campaigns.id} = ${emails.campaignId})`,
      contentKey: sql<string | null>`(select ${emailContents.objectKey} from email_contents
        where ${emailContents.teamId} = ${emails.teamId} and ${emailContents.emailId} = ${emails.id})`,
      inboxKey: sql<string | null>`(select ${sandboxMessages.objectKey} from sandbox_messages
        where ${sandboxMessages.teamId} = ${emails.teamId} and ${sandboxMessages.emailId} = ${emails.id})`,
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
    .limit(size)

interface Round {
  teamId: string
  email: string
  eraser: Eraser
  logged: readonly Logged[]
}

/**
 * The emails' own rows come first: from then on late reports are kept without the address. The row
 * by which an email is found comes last, so an erasure that broke off finds the email again. An email
 * that another erasure changes meanwhile stays as it is. Answers with the number of emails that have
 * to be found again.
 */
async function eraseRound(work: Work, round: Round): Promise<number> {
  const { teamId, email, eraser, logged } = round
  if (logged.length === 0) return 0
  await cancelPending(work, teamId, logged)
  const ids = logged.map(({ id }) => id)
  const left = await eraseSmallContents(work, teamId, ids)
  const objectKeys = logged.flatMap(({ contentKey, inboxKey }) => [contentKey, inboxKey])
  await deleteObjects(
    work.env,
    objectKeys.map((objectKey) => ({ objectKey })),
  )
  const answers = await commit(work, rewrites(work, round, left))
  const rewritten = answers.emails.flat().map(({ id }) => id)
  const subjects = new Map(logged.map((email) => [email.id, subjectInPlace(email)]))
  await eraseTimelines(work, { teamId, eraser, subjects })
  // Until the end of a lease the test inbox may still get a copy of the email.
  const moved = await rewriteRecipients(
    work,
    { teamId, before: email, after: erasedForm(work.settings, email) },
    rewritten.filter((id) => !left.has(id)),
  )
  return logged.length - moved.length
}

async function cancelPending(work: Work, teamId: string, logged: readonly Logged[]) {
  const pending = logged.filter(({ status }) => status === "queued" || status === "scheduled")
  await recordEvents(
    work,
    pending.map(({ id }) => ({
      ...reportOf({ teamId, emailId: id }, "cancelled", work.now(), { reason: "erased" }),
      unlessClaimed: true,
    })),
  )
}

/** The subject of a campaign for a contact without any values: the real one names the contact. */
function subjectInPlace({ campaignId, campaign }: Logged): string | undefined {
  if (campaignId === null) return undefined
  return campaign === null ? "(erased)" : subjectOfNobody(JSON.parse(campaign))
}

/** An idempotency key that names the address is deleted: with a hash it could equal another key. */
function rewrites(work: Work, { teamId, eraser, logged }: Round, left: Set<string>) {
  const ids = logged.map(({ id }) => id)
  const rows = logged.map((email) => ({
    ...eraser.eraseEmail(email, subjectInPlace(email)),
    teamId,
    id: email.id,
    addressesBefore: email.addressesBefore,
    errorBefore: email.lastError,
    keepsPack: left.has(email.id),
    keepsKey: eraser.redact(email.idempotencyKey) === email.idempotencyKey,
  }))
  return {
    tags: rewriteTags(
      work,
      teamId,
      logged.flatMap((email) => rewrittenTags(eraser, email)),
    ),
    emails: rewriteEmails(work, rows),
    words: rewriteWords(work, teamId, rows),
    contents: deleteContents(work, teamId, ids),
    messages: deleteMessages(work, teamId, ids),
  }
}

const rewrittenTags = ({ redact }: Eraser, { id: emailId, tags, addressesBefore }: Logged) =>
  Object.entries(tags)
    .map(([key, value]) => ({
      emailId,
      addressesBefore,
      before: `${key}:${value}`,
      after: `${key}:${redact(value)}`,
    }))
    .filter(({ before, after }) => before !== after)
