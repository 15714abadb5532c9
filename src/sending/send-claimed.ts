import { sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { EventData } from "../emails/contract.ts"
import { enqueueSends, type Sendable } from "../emails/queue.ts"
import type { EmailRow } from "../emails/table.ts"
import type { Work } from "../env.ts"
import { mapLimit } from "../lib/chunk.ts"
import { repeat } from "../lib/repeat.ts"
import { truncate } from "../lib/text.ts"
import { recordEvents } from "../outcomes/record.ts"
import type { Provider } from "../providers/provider.ts"
import type { EmailRef } from "../queues/messages.ts"
import { type EmailReport, MAX_REPORTED_LENGTH, reportOf } from "../queues/report.ts"
import { attemptSend, type Outcome } from "./attempt.ts"
import type { Claim, Claimed } from "./claim.ts"

/** A Worker has six connections open at once. */
const SENDS_AT_ONCE = 6

/** No send starts later than this after the claim, and each ends well before the lease does. */
const START_WITHIN_MS = 15_000

/** Between the tries to record. */
const RECORD_WAITS_MS = [100, 400, 1_600, 6_400]

/** Large messages wait for the record of the others, and each is recorded before the next starts. */
export async function sendClaimed(
  work: Work,
  provider: Provider,
  { claims, claimedAt, awaitTurn }: Claim,
  alongside: readonly Query[],
): Promise<void> {
  const deadline = claimedAt + START_WITHIN_MS
  const large = claims.filter(({ isLarge }) => isLarge)
  const portions = [claims.filter(({ isLarge }) => !isLarge), ...large.map((one) => [one])]
  for (const [index, portion] of portions.entries()) {
    const results = await mapLimit(
      portion,
      provider.sendsAtOnce ?? SENDS_AT_ONCE,
      async (claimed) => ({
        claimed,
        outcome: await attemptSend(work, claimed, { provider, deadline, awaitTurn }),
      }),
    )
    await record(work, provider, results, index === large.length ? alongside : [])
  }
}

interface Result {
  claimed: Claimed
  outcome: Outcome
}

/** Repeated when it fails: an email that was handed over and not recorded is sent again. */
async function record(
  work: Work,
  provider: Provider,
  results: readonly Result[],
  alongside: readonly Query[],
) {
  const events = results.flatMap(({ claimed, outcome }) => eventsOf(work, claimed, outcome))
  const postponed = results.flatMap(
    ({ claimed, outcome }) => postponementOf(work, claimed, outcome) ?? [],
  )
  await repeat(RECORD_WAITS_MS, () =>
    recordEvents(work, events, [
      ...(postponed.length > 0 ? [postpone(work, postponed)] : []),
      ...alongside,
    ]),
  )
  if (provider.recorded) work.defer(provider.recorded())
  await enqueueSends(work, postponed)
}

const refOf = ({ teamId, id }: EmailRow): EmailRef => ({ teamId, emailId: id })

function eventsOf(work: Work, { email }: Claimed, outcome: Outcome): EmailReport[] {
  const ref = refOf(email)
  const ended = (events: EmailReport[]) =>
    events.map((event) => ({ ...event, attempt: email.attempts }))
  switch (outcome.kind) {
    case "accepted": {
      const { acceptedAt, providerMessageId, bounces = [], reason, untracked } = outcome
      const data = { ...(reason && { reason }), ...(untracked && { untracked }) }
      return [
        { ...reportOf(ref, "sent", acceptedAt, data), providerMessageId },
        // A millisecond later: the timeline tells them in this order.
        ...bouncesOf(ref, acceptedAt + 1, bounces),
      ]
    }
    case "cancelled":
      return ended([reportOf(ref, "cancelled", work.now(), outcome.data)])
    case "failed":
      if (outcome.bounces) return ended(bouncesOf(ref, work.now(), outcome.bounces))
      return ended([reportOf(ref, "failed", work.now(), { reason: outcome.reason })])
    default:
      return []
  }
}

const bouncesOf = (ref: EmailRef, at: number, bounces: readonly EventData[]) =>
  bounces.map((data) => reportOf(ref, "bounced", at, data, data.recipients?.join()))

interface Postponed extends EmailRef, Sendable {
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
    lastError: isRetry ? truncate(outcome.reason, MAX_REPORTED_LENGTH) : null,
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
