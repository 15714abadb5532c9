import { logError } from "../../../lib/log.ts"
import { MINUTE_MS } from "../../../lib/time.ts"
import { within } from "../../../lib/within.ts"
import type { Work } from "../../platform/context.ts"
import { MAX_ATTEMPTS, type Provider, UnwritableMessage } from "../../providers/provider.ts"
import { bounceAddress } from "../../received/reading/report-addresses.ts"
import { EVENT_BITS } from "../../stats/counters.ts"
import type { Blocked } from "../../suppressions/blocking.ts"
import { type EventData, NEVER_ANSWERED, SENT_AGAIN } from "../contract.ts"
import type { EmailRow } from "../table.ts"
import type { Claim, Claimed } from "./claim.ts"
import { toMessage } from "./message.ts"
import { giveUpAfterMs, PROBE_EVERY_MS } from "./pacing/provider-pause.ts"
import { type Prepared, prepareContent } from "./prepare-content.ts"

/** The waits after the first five attempts. The sixth failure is final. */
export const RETRY_DELAYS_MS = [30, 60, 120, 240, 480].map((seconds) => seconds * 1000)

/** No provider takes longer, so that the claim is recorded before its lease ends. */
const ANSWERS_WITHIN_MS = 27_000

export type AttemptResult =
  | {
      kind: "accepted"
      providerMessageId: string
      acceptedAt: number
      bounces?: EventData[]
      reason?: string
      untracked?: EventData["untracked"]
    }
  /** An earlier attempt whose answer was lost: somebody has opened the email. */
  | { kind: "settled"; sentAt: number }
  | { kind: "cancelled"; data: EventData }
  | { kind: "failed"; reason: string; bounces?: EventData[]; by?: "provider"; fault?: "provider" }
  | { kind: "retry"; reason: string; delayMs: number; by?: "provider" }
  /** The fault of the provider, or of the service. It counts no attempt. */
  | { kind: "deferred"; reason: string; delayMs: number; fault: "provider" | "service" }
  /** The provider may have the message: nobody may claim the email until the lease ends. */
  | { kind: "unanswered"; reason: string }
  /** Its campaign or sequence is paused, or its window is closed: it goes back to the batches. */
  | { kind: "held"; until?: number }
  /** There was no time left to start: another consumer may claim it at once. */
  | { kind: "released" }

const RELEASED: AttemptResult = { kind: "released" }

interface Attempt {
  provider: Provider
  /** No send begins after it. */
  deadline: number
  awaitSlot: Claim["awaitSlot"]
}

/** Hands a claimed email to the provider, unless it must not be sent any more. */
export async function attemptSend(
  work: Work,
  claimed: Claimed,
  attempt: Attempt,
): Promise<AttemptResult> {
  const { email } = claimed
  const { provider, deadline, awaitSlot } = attempt
  if (email.unanswered > 1 && email.eventTypes & HITS) return settled(email)
  if (isBlocked(claimed)) return cancelled("suppressed_recipient", claimed.blocked)
  if (claimed.isOfDeletedTeam) return cancelled("team_deleted")
  if (claimed.isOfLostDomain)
    return failed("The domain of 'from' was deleted or failed before the email went out.")
  if (email.attempts > MAX_ATTEMPTS || (email.unanswered > 1 && isTooOld(work, email)))
    return failed(NEVER_ANSWERED)
  const isOver = () => work.now() > deadline
  if (isOver()) return RELEASED
  if (email.campaignId !== null && provider.refusesBulk) return failed(provider.refusesBulk)
  const loaded = await claimed.load().catch(logged)
  if (loaded === undefined) return defer(work, email, UNREADABLE, "service")
  if (loaded === null) return failed("The content of this email has been purged.")
  if ("held" in loaded) return { ...loaded, kind: "held" }
  if ("withdrawn" in loaded) return cancelled(loaded.withdrawn)
  if ("unsendable" in loaded) return failed(loaded.unsendable)
  const prepared = await prepareContent(work, claimed, provider, loaded).catch(logged)
  if (prepared === undefined) return retry(email, UNPREPARED)
  // The content may have come late.
  if (!(await awaitSlot(email, deadline)) || isOver()) return RELEASED
  return within(ANSWERS_WITHIN_MS, handOver(work, provider, claimed, prepared)).catch((error) => {
    logError(error)
    return error instanceof UnwritableMessage ? retry(email, UNPREPARED) : unanswered(NO_ANSWER)
  })
}

const HITS = EVENT_BITS.opened | EVENT_BITS.clicked

/**
 * The time of the hand-over is not known. The due time is before all that is on the timeline, as far
 * as clocks agree.
 */
const settled = ({ dueAt, createdAt }: EmailRow): AttemptResult => ({
  kind: "settled",
  sentAt: dueAt ?? createdAt,
})

/** A suppressed recipient stops an email, or only the last one does. */
function isBlocked({ email, blocked }: Claimed): boolean {
  if (!email.skipsSuppressed) return blocked.length > 0
  const skipped = new Set(blocked.map((one) => one.email))
  return email.recipients.every(({ address }) => skipped.has(address))
}

async function handOver(
  work: Work,
  provider: Provider,
  { email, blocked, takesReports }: Claimed,
  { content, untracked }: Prepared,
): Promise<AttemptResult> {
  const skipped = blocked.map((one) => one.email)
  const returnPath = takesReports
    ? bounceAddress(work.settings, { teamId: email.teamId, emailId: email.id })
    : undefined
  const result = await provider.send(toMessage(email, content, skipped, returnPath))
  if (result.ok) {
    const reason = email.unanswered > 1 && { reason: SENT_AGAIN }
    return { kind: "accepted", ...result, ...reason, ...(untracked && { untracked }) }
  }
  if (result.unanswered) return unanswered(result.reason)
  if (result.fault === "provider") return defer(work, email, result.reason, "provider")
  const { reason, bounces } = result
  const failure = { reason, ...(bounces && { bounces }), by: "provider" } as const
  return result.retryable ? retry(email, failure) : { kind: "failed", ...failure }
}

interface Failure {
  reason: string
  bounces?: EventData[]
  /** The provider has answered. */
  by?: "provider"
}

const UNREADABLE = "The content of this email could not be read."
const UNPREPARED: Failure = { reason: "The message of this email could not be made." }
const NO_ANSWER = "The provider did not answer."

function retry({ attempts }: EmailRow, { bounces, ...failure }: Failure): AttemptResult {
  const delayMs = RETRY_DELAYS_MS[attempts - 1]
  return delayMs === undefined
    ? { kind: "failed", ...failure, ...(bounces && { bounces }) }
    : { kind: "retry", ...failure, delayMs }
}

/** Old mail fails with the fault that it waited for. */
function defer(
  work: Work,
  email: EmailRow,
  reason: string,
  fault: "provider" | "service",
): AttemptResult {
  if (isTooOld(work, email))
    return { kind: "failed", reason, ...(fault === "provider" && { fault }) }
  const delayMs = fault === "provider" ? PROBE_EVERY_MS : contentDelayMs(work, email)
  return { kind: "deferred", reason, fault, delayMs }
}

/** Grows with the age, since a bucket that is down may hold the content of many emails. */
const contentDelayMs = (work: Work, email: EmailRow) =>
  Math.min(5 * MINUTE_MS, Math.max(PROBE_EVERY_MS, ageOf(work, email) / 4))

/** The email fails later, if the provider has not reported it by the end of the lease. */
function unanswered(reason: string): AttemptResult {
  logError(new Error(reason))
  return { kind: "unanswered", reason }
}

const ageOf = (work: Work, { dueAt, createdAt }: EmailRow) => work.now() - (dueAt ?? createdAt)

const isTooOld = (work: Work, email: EmailRow) => ageOf(work, email) > giveUpAfterMs(work)

function logged(error: unknown): undefined {
  logError(error)
}

const failed = (reason: string): AttemptResult => ({ kind: "failed", reason })

const cancelled = (reason: string, blocked: readonly Blocked[] = []): AttemptResult => ({
  kind: "cancelled",
  data: { reason, ...(blocked.length > 0 && { recipients: blocked.map((one) => one.email) }) },
})
