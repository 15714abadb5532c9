import { mapLimit } from "../../../lib/chunk.ts"
import { repeat } from "../../../lib/repeat.ts"
import { truncate } from "../../../lib/text.ts"
import { backToBatches } from "../../campaigns/sending/back-to-batch.ts"
import type { Work } from "../../platform/context.ts"
import type { Statement } from "../../platform/db/commit.ts"
import type { Provider } from "../../providers/provider.ts"
import { type EventData, MAX_REPORTED_LENGTH, SETTLED_BY_HIT } from "../contract.ts"
import type { EmailRef } from "../messages.ts"
import { recordEvents } from "../outcomes/record.ts"
import { type EmailReport, reportOf } from "../outcomes/report.ts"
import type { EmailRow } from "../table.ts"
import { type AttemptResult, attemptSend } from "./attempt.ts"
import type { Claim, Claimed } from "./claim.ts"
import { endPause, giveProbeBack, pauseLonger, pauseProvider } from "./pacing/provider-pause.ts"
import { START_WITHIN_MS } from "./pacing/rate-limit.ts"
import { type Postponed, postpone } from "./postpone.sql.ts"

/** A Worker has six connections open at once. */
const SENDS_AT_ONCE = 6

const RECORD_WAITS_MS = [100, 400, 1_600, 6_400]

/** Small messages are recorded first. Then large ones are sent and recorded one at a time. */
export async function sendClaimed(
  work: Work,
  provider: Provider,
  claim: Claim,
  alongside: readonly Statement[] = [],
): Promise<ProviderState | null> {
  const { claims, claimedAt, awaitSlot } = claim
  const deadline = claimedAt + START_WITHIN_MS
  let state: ProviderState | null = null
  const large = claims.filter(({ isLarge }) => isLarge)
  const portions = [claims.filter(({ isLarge }) => !isLarge), ...large.map((one) => [one])]
  for (const [index, portion] of portions.entries()) {
    const attempted = await mapLimit(
      portion,
      provider.sendsAtOnce ?? SENDS_AT_ONCE,
      async (claimed) => {
        const result = await attemptSend(work, claimed, { provider, deadline, awaitSlot })
        return { claimed, result, endedAt: work.now() }
      },
    )
    state =
      (await record(work, provider, claim, attempted, index === large.length ? alongside : [])) ??
      state
  }
  return state
}

/** Whether the provider takes mail. */
type ProviderState = "open" | "paused"

interface Attempted {
  claimed: Claimed
  result: AttemptResult
  endedAt: number
}

/** Recording is repeated when it fails: an email that was sent but not recorded is sent again. */
async function record(
  work: Work,
  provider: Provider,
  claim: Claim,
  attempted: readonly Attempted[],
  alongside: readonly Statement[],
): Promise<ProviderState | null> {
  const state = stateAfter(attempted)
  const reports = attempted.flatMap((one) =>
    reportsOf(work, one).map((report) => ({
      ...report,
      ...(one.claimed.email.campaignId === null && { isTransactional: true as const }),
    })),
  )
  const postponed = attempted.flatMap((one) => postponementOf(work, one) ?? [])
  await repeat(RECORD_WAITS_MS, () =>
    recordEvents(work, reports, [
      ...(postponed.length > 0 ? [postpone(work, postponed)] : []),
      ...backToBatches(
        work,
        attempted.flatMap(({ claimed, result }) =>
          result.kind === "held" ? { ...claimed.email, until: result.until } : [],
        ),
      ),
      ...movePause(work, provider, claim, attempted),
      ...alongside,
    ]),
  )
  if (provider.recorded) work.defer(provider.recorded())
  return state
}

const isFaultOfProvider = ({ result }: Attempted) =>
  result.kind === "unanswered" || ("fault" in result && result.fault === "provider")

const isAnswer = ({ result }: Attempted) =>
  result.kind === "accepted" || ("by" in result && result.by === "provider")

/** One answer says that the provider takes mail. Null where it was not asked. */
function stateAfter(attempted: readonly Attempted[]): ProviderState | null {
  if (attempted.some(isAnswer)) return "open"
  return attempted.some(isFaultOfProvider) ? "paused" : null
}

/** Pauses the provider after a fault, and ends the pause after a probe that was answered. */
function movePause(
  work: Work,
  provider: Provider,
  claim: Claim,
  attempted: readonly Attempted[],
): Statement[] {
  const state = stateAfter(attempted)
  const isProbe = claim.provider === "probed"
  if (state === "open") return isProbe ? [endPause(work, claim.id)] : []
  const faults = attempted.filter(isFaultOfProvider)
  const [fault] = faults
  if (!fault || !("reason" in fault.result)) return isProbe ? [giveProbeBack(work, claim.id)] : []
  const reason = truncate(fault.result.reason ?? "", MAX_REPORTED_LENGTH)
  return isProbe
    ? [pauseLonger(work, claim.id, reason)]
    : [pauseProvider(work, provider, { reason, isLone: faults.length === 1 })]
}

const refOf = ({ teamId, id }: EmailRow): EmailRef => ({ teamId, emailId: id })

function reportsOf(work: Work, { claimed: { email, blocked }, result }: Attempted): EmailReport[] {
  const ref = refOf(email)
  const recipients = blocked.map((one) => one.email)
  const suppressedAt = (at: number) =>
    recipients.length > 0 ? [reportOf(ref, "suppressed", at, { recipients })] : []
  const ended = (reports: EmailReport[]) =>
    reports.map((report) => ({ ...report, attempt: email.attempts }))
  switch (result.kind) {
    case "accepted": {
      const { acceptedAt, providerMessageId, bounces = [], reason, untracked } = result
      const data = { ...(reason && { reason }), ...(untracked && { untracked }) }
      return [
        // A millisecond earlier, so that the timeline lists it before `sent`.
        ...suppressedAt(acceptedAt - 1),
        { ...reportOf(ref, "sent", acceptedAt, data), providerMessageId },
        // A millisecond later, so that the timeline lists them after `sent`.
        ...bouncesOf(ref, acceptedAt + 1, bounces),
      ]
    }
    case "settled":
      return [reportOf(ref, "sent", result.sentAt, { reason: SETTLED_BY_HIT })]
    case "cancelled":
      return ended([
        ...(email.skipsSuppressed ? suppressedAt(work.now() - 1) : []),
        reportOf(ref, "cancelled", work.now(), result.data),
      ])
    case "failed":
      return ended([
        ...(result.by === "provider" ? suppressedAt(work.now() - 1) : []),
        ...(result.bounces
          ? bouncesOf(ref, work.now(), result.bounces)
          : [reportOf(ref, "failed", work.now(), { reason: result.reason })]),
      ])
    default:
      return []
  }
}

const bouncesOf = (ref: EmailRef, at: number, bounces: readonly EventData[]) =>
  bounces.map((data) => reportOf(ref, "bounced", at, data, data.recipients?.join()))

function postponementOf(work: Work, { claimed, result, endedAt }: Attempted): Postponed | null {
  const { email } = claimed
  const { kind } = result
  if (kind !== "retry" && kind !== "deferred" && kind !== "released" && kind !== "unanswered")
    return null
  const isUnanswered = kind === "unanswered"
  return {
    teamId: email.teamId,
    emailId: email.id,
    claim: email.claimedBy,
    lease: email.notBefore,
    unanswered: email.unanswered - Number(!isUnanswered),
    attempts: email.attempts - Number(kind !== "retry"),
    notBefore: isUnanswered
      ? email.notBefore
      : work.now() + ("delayMs" in result ? result.delayMs : 0),
    fault:
      "reason" in result
        ? { at: endedAt, answer: truncate(result.reason, MAX_REPORTED_LENGTH) }
        : null,
    bulk: email.campaignId !== null,
  }
}
