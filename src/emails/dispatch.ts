import { sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import { mapLimit } from "../lib/chunk.ts"
import { openProvider, type Provider } from "../providers/provider.ts"
import { attemptSend, type Outcome } from "./attempt.ts"
import { type Claim, type Claimed, claimEmails } from "./claim.ts"
import type { EventData } from "./contract.ts"
import { type EmailRef, enqueueSends, type Sendable } from "./queue.ts"
import { type EmailEvent, emailEvent, recordEvents } from "./record.ts"
import type { EmailRow } from "./table.ts"

/** A Worker has six connections open at once. */
const SENDS_AT_ONCE = 6

/** No send starts later than this after the claim, and each ends well before the lease does. */
const START_WITHIN_MS = 15_000

/** How long a campaign that found no room waits for some. */
const LOOK_AGAIN_MS = 500

interface Sending {
  /** Campaign mail: it has a provider and a queue of its own, and yields to the rest. */
  bulk?: boolean
  /** They are known to be withdrawn: none needs the provider's rate. */
  unpaced?: boolean
  provider?: Provider
  /** Nothing is claimed later than this. */
  until?: number
  /** Joins the batch that records the last of the emails. */
  afterLast?: readonly Query[]
}

/**
 * Claims these emails, hands each to the provider, and records what it answered: two round trips,
 * or more where the provider's rate lets them go in parts. Answers with those that were left over.
 */
export async function dispatchEmails(
  work: Work,
  refs: readonly EmailRef[],
  {
    bulk = false,
    unpaced = false,
    provider = openProvider(work, { bulk }),
    until = Number.POSITIVE_INFINITY,
    afterLast = [],
  }: Sending = {},
): Promise<readonly EmailRef[]> {
  let left = refs
  while (left.length > 0 && work.now() < until) {
    const claim = await claimEmails(work, provider, left, { bulk, unpaced })
    const hasRoom = claim.left.length < left.length
    if (!hasRoom && !bulk) break
    left = claim.left
    if (hasRoom) await sendClaimed(work, provider, claim, left.length === 0 ? afterLast : [])
    else await scheduler.wait(LOOK_AGAIN_MS)
  }
  if (provider.close) work.defer(provider.close())
  return left
}

async function sendClaimed(
  work: Work,
  provider: Provider,
  claim: Claim,
  alongside: readonly Query[],
): Promise<void> {
  const results = await attemptAll(work, provider, claim)
  const events = results.flatMap(({ claimed, outcome }) => eventsOf(work, claimed, outcome))
  const postponed = results.flatMap(
    ({ claimed, outcome }) => postponementOf(work, claimed, outcome) ?? [],
  )
  await recordEvents(work, events, [
    ...(postponed.length > 0 ? [postpone(work, postponed)] : []),
    ...alongside,
  ])
  await enqueueSends(work, postponed)
}

/** Large messages go after the others, one at a time: a Worker has 128 MB for all it holds. */
async function attemptAll(work: Work, provider: Provider, { claims, claimedAt, awaitTurn }: Claim) {
  const deadline = claimedAt + START_WITHIN_MS
  const attemptOne = async (claimed: Claimed) => ({
    claimed,
    outcome: await attemptSend(work, claimed, { provider, deadline, awaitTurn }),
  })
  const { small = [], large = [] } = Object.groupBy(claims, ({ isLarge }) =>
    isLarge ? "large" : "small",
  )
  return [
    ...(await mapLimit(small, provider.sendsAtOnce ?? SENDS_AT_ONCE, attemptOne)),
    ...(await mapLimit(large, 1, attemptOne)),
  ]
}

const refOf = ({ teamId, id }: EmailRow): EmailRef => ({ teamId, emailId: id })

function eventsOf(work: Work, { email }: Claimed, outcome: Outcome): EmailEvent[] {
  const ref = refOf(email)
  switch (outcome.kind) {
    case "accepted": {
      const { acceptedAt, providerMessageId, bounces = [], reason, untracked } = outcome
      const data = { ...(reason && { reason }), ...(untracked && { untracked }) }
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
    bulk: email.campaignId !== null,
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
