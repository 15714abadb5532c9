import { and, inArray, lte, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Stored } from "../db/overflow.ts"
import type { Work } from "../env.ts"
import { describeError } from "../http/errors.ts"
import { mapLimit } from "../lib/chunk.ts"
import { type OutgoingMessage, openProvider, type Provider } from "../providers/provider.ts"
import { type Blocked, blockingSuppressions } from "../suppressions/blocking.ts"
import { type EmailContent, loadContent } from "./content.ts"
import { SENT_AGAIN } from "./contract.ts"
import { type EmailRef, enqueueSends, type Sendable } from "./queue.ts"
import { type EmailEvent, emailEvent, recordEvents } from "./record.ts"
import { type EmailRow, emailContents, emails, type Recipient } from "./table.ts"

/** A Worker has six connections open at once. */
const SENDS_AT_ONCE = 6

/** No send starts later than this after the claim, and each ends well before the lease does. */
const START_WITHIN_MS = 15_000

/** How long nobody else may claim an email. */
export const LEASE_MS = 45_000

/** The waits after the first attempt to the fifth; the sixth fault is the last. */
export const RETRY_DELAYS_MS = [30, 60, 120, 240, 480].map((seconds) => seconds * 1000)
const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1

/** Claims these emails, hands each to the provider, and records what it answered: two round trips. */
export async function dispatchEmails(work: Work, refs: readonly EmailRef[]): Promise<void> {
  const claimedAt = work.now()
  const claims = await claim(work, refs)
  const results = await mapLimit(claims, SENDS_AT_ONCE, async (claimed) => ({
    claimed,
    outcome: await attempt(work, claimed, claimedAt + START_WITHIN_MS).catch((error) =>
      faultOf(work, claimed, error),
    ),
  }))
  const events = results.flatMap(({ claimed, outcome }) => eventOf(work, claimed, outcome) ?? [])
  const postponed = results.flatMap(
    ({ claimed, outcome }) => postponementOf(work, claimed, outcome) ?? [],
  )
  await recordEvents(work, events, postponed.length > 0 ? [postpone(work, postponed)] : [])
  await enqueueSends(work, postponed)
}

interface Claimed {
  email: EmailRow
  content: Stored | undefined
  blocked: Blocked[]
}

/**
 * One consumer has an email: it waited its turn, and nobody else holds its lease. A lease lasts
 * until the provider's own events have told of a message whose answer was lost.
 */
async function claim(work: Work, refs: readonly EmailRef[]): Promise<Claimed[]> {
  if (refs.length === 0) return []
  const now = work.now()
  const lease = sql`iif(campaign_id is null, ${now + leaseMs(work, false)}, ${now + leaseMs(work, true)})`
  const asked = sql`(select value ->> 'teamId', value ->> 'emailId' from json_each(${JSON.stringify(refs)}))`
  const [claimed, contents, blocked] = await work.db.batch([
    work.db
      .update(emails)
      .set({
        status: "sending",
        attempts: sql`${emails.attempts} + 1`,
        unanswered: sql`${emails.unanswered} + 1`,
        notBefore: lease,
        dueAt: lease,
      })
      .where(
        and(
          sql`(team_id, id) in ${asked}`,
          inArray(emails.status, ["queued", "scheduled", "sending"]),
          lte(emails.notBefore, now),
        ),
      )
      .returning(),
    work.db.select().from(emailContents).where(sql`(team_id, email_id) in ${asked}`),
    work.db.all<{ id: string; blocked: string }>(sql`
      select e.id, ${blockingSuppressions({
        team: sql`e.team_id`,
        addresses: sql`select value ->> 'address' as address from json_each(e.recipients)`,
        override: sql`e.override_suppression`,
      })} as blocked
      from emails e where (e.team_id, e.id) in ${asked} and e.status = 'sending'`),
  ])
  const contentOf = new Map(contents.map((content) => [content.emailId, content]))
  const blockedOf = new Map(blocked.map((row) => [row.id, row.blocked]))
  return claimed.map((email) => ({
    email,
    content: contentOf.get(email.id),
    blocked: JSON.parse(blockedOf.get(email.id) ?? "[]") as Blocked[],
  }))
}

const leaseMs = (work: Work, bulk: boolean) => LEASE_MS + settleMs(openProvider(work, { bulk }))

const settleMs = (provider: Provider) => provider.settleMs ?? 0

type Outcome =
  | { kind: "accepted"; providerMessageId: string; acceptedAt: number; reason?: string }
  | { kind: "suppressed"; blocked: Blocked[] }
  | { kind: "failed"; reason: string }
  | { kind: "retry"; reason: string; delayMs: number; unanswered?: true }
  /** Time was over before its turn came: another consumer may have it at once. */
  | { kind: "released" }

async function attempt(
  work: Work,
  { email, content, blocked }: Claimed,
  deadline: number,
): Promise<Outcome> {
  if (blocked.length > 0) return { kind: "suppressed", blocked }
  if (email.attempts > MAX_ATTEMPTS) return failed("The provider never answered.")
  if (work.now() > deadline) return { kind: "released" }
  const loaded = content && (await loadContent(work.env, content))
  if (!loaded) return failed("The content of this email has been purged.")
  const provider = openProvider(work, { bulk: isBulk(email) })
  if (isBulk(email) && provider.refusesBulk) return failed(provider.refusesBulk)
  const result = await provider.send(toMessage(email, loaded))
  if (result.ok) {
    return { kind: "accepted", ...result, ...(email.unanswered > 1 && { reason: SENT_AGAIN }) }
  }
  if (result.unanswered) return unanswered(provider, `No answer came: ${result.reason}`)
  const delayMs = result.retryable ? RETRY_DELAYS_MS[email.attempts - 1] : undefined
  return delayMs === undefined
    ? failed(result.reason)
    : { kind: "retry", reason: result.reason, delayMs }
}

/** One email's fault is not the others': their answers are recorded all the same. */
function faultOf(work: Work, { email }: Claimed, error: unknown): Outcome {
  const { id: emailId } = email
  console.error(JSON.stringify({ level: "error", emailId, ...describeError(error) }))
  const provider = openProvider(work, { bulk: isBulk(email) })
  return unanswered(provider, "Something went wrong on our side.")
}

function unanswered(provider: Provider, reason: string): Outcome {
  const delayMs = Math.max(settleMs(provider), RETRY_DELAYS_MS[0] as number)
  return { kind: "retry", reason, delayMs, unanswered: true }
}

const isBulk = (email: EmailRow) => email.campaignId !== null

const failed = (reason: string): Outcome => ({ kind: "failed", reason })

function toMessage(email: EmailRow, content: EmailContent): OutgoingMessage {
  const named = (as: Recipient["as"]) => email.recipients.filter((one) => one.as === as)
  return {
    ...content,
    teamId: email.teamId,
    emailId: email.id,
    from: email.sender,
    to: named("to"),
    cc: named("cc"),
    bcc: named("bcc"),
    replyTo: email.replyTo,
    subject: email.subject,
    tags: email.tags,
    attempt: email.attempts,
  }
}

function eventOf(work: Work, { email }: Claimed, outcome: Outcome): EmailEvent | null {
  const ref = { teamId: email.teamId, emailId: email.id }
  switch (outcome.kind) {
    case "accepted": {
      const { acceptedAt, providerMessageId, reason } = outcome
      const data = reason === undefined ? {} : { reason }
      return { ...emailEvent(ref, "sent", acceptedAt, data), providerMessageId }
    }
    case "suppressed": {
      const recipients = outcome.blocked.map((entry) => entry.email)
      const data = { reason: "suppressed_recipient", recipients }
      return emailEvent(ref, "cancelled", work.now(), data)
    }
    case "failed":
      return emailEvent(ref, "failed", work.now(), { reason: outcome.reason })
    default:
      return null
  }
}

interface Postponed extends Sendable {
  attempts: number
  unanswered: number
  lastError: string | null
}

function postponementOf(work: Work, { email }: Claimed, outcome: Outcome): Postponed | null {
  if (outcome.kind !== "retry" && outcome.kind !== "released") return null
  const isRetry = outcome.kind === "retry"
  return {
    teamId: email.teamId,
    emailId: email.id,
    attempts: email.attempts,
    unanswered: !isRetry ? email.unanswered - 1 : outcome.unanswered ? email.unanswered : 0,
    notBefore: work.now() + (isRetry ? outcome.delayMs : 0),
    lastError: isRetry ? outcome.reason : null,
    bulk: isBulk(email),
  }
}

/** Gives the lease back early; an attempt that never began does not count. */
const postpone = (work: Work, postponed: readonly Postponed[]): Query =>
  work.db.run(sql`
    update emails set not_before = x.value ->> 'notBefore', due_at = x.value ->> 'notBefore',
      last_error = coalesce(x.value ->> 'lastError', last_error),
      unanswered = x.value ->> 'unanswered',
      attempts = emails.attempts - (x.value ->> 'lastError' is null)
    from json_each(${JSON.stringify(postponed)}) x
    where emails.team_id = x.value ->> 'teamId' and emails.id = x.value ->> 'emailId'
      and emails.status = 'sending' and emails.attempts = x.value ->> 'attempts'`)
