import { sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import { describeError } from "../http/errors.ts"
import { mapLimit } from "../lib/chunk.ts"
import { type OutgoingMessage, openProvider, type Provider } from "../providers/provider.ts"
import type { Blocked } from "../suppressions/blocking.ts"
import { trackHtml } from "../tracking/rewrite.ts"
import { type Claimed, claimEmails } from "./claim.ts"
import type { EmailContent } from "./content.ts"
import { type EventData, SENT_AGAIN } from "./contract.ts"
import { type EmailRef, enqueueSends, type Sendable } from "./queue.ts"
import { type EmailEvent, emailEvent, recordEvents } from "./record.ts"
import type { EmailRow, Recipient } from "./table.ts"

/** A Worker has six connections open at once. */
const SENDS_AT_ONCE = 6

/** No send starts later than this after the claim, and each ends well before the lease does. */
const START_WITHIN_MS = 15_000

/** The waits after the first attempt to the fifth; the sixth fault is the last. */
export const RETRY_DELAYS_MS = [30, 60, 120, 240, 480].map((seconds) => seconds * 1000)
export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1

/** Claims these emails, hands each to the provider, and records what it answered: two round trips. */
export async function dispatchEmails(
  work: Work,
  refs: readonly EmailRef[],
  provider?: Provider,
): Promise<void> {
  const providers = {
    single: provider ?? openProvider(work),
    bulk: provider ?? openProvider(work, { bulk: true }),
  }
  const deadline = work.now() + START_WITHIN_MS
  const claims = await claimEmails(work, refs, providers)
  const singles = await attemptAll(work, providers.single, claims.filter(isSingle), deadline)
  const bulk = await attemptAll(work, providers.bulk, claims.filter(isBulk), deadline)
  const results = [...singles, ...bulk]
  const events = results.flatMap(({ claimed, outcome }) => eventsOf(work, claimed, outcome))
  const postponed = results.flatMap(
    ({ claimed, outcome }) => postponementOf(work, claimed, outcome) ?? [],
  )
  await recordEvents(work, events, postponed.length > 0 ? [postpone(work, postponed)] : [])
  await enqueueSends(work, postponed)
}

/** Large messages go after the others, one at a time: a Worker has 128 MB for all it holds. */
async function attemptAll(
  work: Work,
  provider: Provider,
  claims: readonly Claimed[],
  deadline: number,
) {
  if (claims.length === 0) return []
  const attemptOne = async (claimed: Claimed) => ({
    claimed,
    outcome: await attempt(work, provider, claimed, deadline).catch(unanswered),
  })
  const small = claims.filter((claimed) => !claimed.isLarge)
  try {
    return [
      ...(await mapLimit(small, provider.sendsAtOnce ?? SENDS_AT_ONCE, attemptOne)),
      ...(await mapLimit(
        claims.filter((claimed) => claimed.isLarge),
        1,
        attemptOne,
      )),
    ]
  } finally {
    if (provider.close) work.defer(provider.close())
  }
}

const isBulk = ({ email }: Claimed) => email.campaignId !== null
const isSingle = (claimed: Claimed) => !isBulk(claimed)

type Outcome =
  | {
      kind: "accepted"
      providerMessageId: string
      acceptedAt: number
      bounces?: EventData[]
      reason?: string
    }
  | { kind: "cancelled"; data: EventData }
  | { kind: "failed"; reason: string; bounces?: EventData[] }
  | { kind: "retry"; reason: string; delayMs: number }
  /** Whether the provider has it is not known: nobody may claim it until the lease is over. */
  | { kind: "unanswered" }
  /** Time was over before its turn came: another consumer may have it at once. */
  | { kind: "released" }

async function attempt(
  work: Work,
  provider: Provider,
  { email, load, blocked, tracked }: Claimed,
  deadline: number,
): Promise<Outcome> {
  if (blocked.length > 0) return cancelled("suppressed_recipient", blocked)
  if (email.attempts > MAX_ATTEMPTS) return failed("The provider never answered.")
  if (work.now() > deadline) return { kind: "released" }
  if (email.campaignId !== null && provider.refusesBulk) return failed(provider.refusesBulk)
  const content = await load()
  if (!content) return failed("The content of this email has been purged.")
  if ("withdrawn" in content) return cancelled(content.withdrawn)
  const html = content.html && (await trackHtml(work.settings, refOf(email), content.html, tracked))
  const result = await provider.send(toMessage(email, { ...content, html }))
  if (result.ok) {
    return { kind: "accepted", ...result, ...(email.unanswered > 1 && { reason: SENT_AGAIN }) }
  }
  if (result.unanswered) return unanswered(new Error(result.reason))
  const delayMs = result.retryable ? RETRY_DELAYS_MS[email.attempts - 1] : undefined
  return delayMs === undefined
    ? { kind: "failed", ...result }
    : { kind: "retry", reason: result.reason, delayMs }
}

const refOf = ({ teamId, id }: EmailRow): EmailRef => ({ teamId, emailId: id })

function unanswered(error: unknown): Outcome {
  console.error(JSON.stringify({ level: "error", ...describeError(error) }))
  return { kind: "unanswered" }
}

const failed = (reason: string): Outcome => ({ kind: "failed", reason })

const cancelled = (reason: string, blocked: readonly Blocked[] = []): Outcome => ({
  kind: "cancelled",
  data: { reason, ...(blocked.length > 0 && { recipients: blocked.map((one) => one.email) }) },
})

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

function eventsOf(work: Work, { email }: Claimed, outcome: Outcome): EmailEvent[] {
  const ref = refOf(email)
  switch (outcome.kind) {
    case "accepted": {
      const { acceptedAt, providerMessageId, bounces = [], reason } = outcome
      const data = reason === undefined ? {} : { reason }
      return [
        { ...emailEvent(ref, "sent", acceptedAt, data), providerMessageId },
        // A millisecond later: the timeline tells them in this order.
        ...bouncesOf(ref, acceptedAt + 1, bounces),
      ]
    }
    case "cancelled":
      return [emailEvent(ref, "cancelled", work.now(), outcome.data)]
    case "failed":
      if (outcome.bounces) return bouncesOf(ref, work.now(), outcome.bounces)
      return [emailEvent(ref, "failed", work.now(), { reason: outcome.reason })]
    default:
      return []
  }
}

const bouncesOf = (ref: EmailRef, at: number, bounces: readonly EventData[]) =>
  bounces.map((data) => emailEvent(ref, "bounced", at, data, data.recipients?.join()))

interface Postponed extends Sendable {
  attempts: number
  unanswered: number
  lastError: string | null
}

function postponementOf(work: Work, claimed: Claimed, outcome: Outcome): Postponed | null {
  if (outcome.kind !== "retry" && outcome.kind !== "released") return null
  const { email } = claimed
  const isRetry = outcome.kind === "retry"
  return {
    teamId: email.teamId,
    emailId: email.id,
    attempts: email.attempts,
    unanswered: email.unanswered - 1,
    notBefore: work.now() + (isRetry ? outcome.delayMs : 0),
    lastError: isRetry ? outcome.reason : null,
    bulk: isBulk(claimed),
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
