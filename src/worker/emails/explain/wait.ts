import { MAX_ATTEMPTS } from "../../providers/provider.ts"
import { LEASE_MS } from "../sending/claim.ts"
import { explainFailure } from "./cause.ts"
import { at, type ExplainInput, type StateExplanation } from "./input.ts"
import { NOTHING_TO_DO } from "./reasons/reason.ts"

const CANCEL = "To cancel it, call POST /emails/:id/cancel."

/** Tells of an email that waits, or whose hand-over is not confirmed. */
export function explainWait(known: ExplainInput): StateExplanation {
  const { email, campaign } = known
  if (campaign?.status === "cancelled") {
    return {
      summary: ["The campaign was cancelled. This email will be cancelled too."],
      waitingFor: { what: "cancellation", until: null },
    }
  }
  if (email.status === "scheduled") return tellSchedule(known)
  const isUntried = email.status === "queued" || (email.attempts === 0 && email.unanswered === 0)
  if (campaign?.pausedReason && isUntried) {
    return {
      summary: [`The campaign is paused: ${campaign.pausedReason}`],
      next: [`To send it, call POST /campaigns/:id/resume. ${CANCEL}`],
      waitingFor: { what: "the campaign to be resumed", until: null },
    }
  }
  if (known.pause && (isUntried || email.notBefore <= known.now)) {
    return tellPause(known, known.pause)
  }
  if (isUntried) {
    return {
      summary: ["Queued. It has not been sent to the provider yet."],
      next: [`No action needed. ${CANCEL}`],
      waitingFor: { what: "its turn in the queue", until: null },
    }
  }
  return tellAttempt(known)
}

function tellPause(
  { now }: ExplainInput,
  { since, reason, probeAt }: NonNullable<ExplainInput["pause"]>,
): StateExplanation {
  return {
    summary: [`Waiting: the provider has not accepted email since ${at(since)}.`],
    explained: explainFailure(reason),
    next: [`No action needed. It is sent when the provider accepts email again. ${CANCEL}`],
    waitingFor: { what: "the provider to accept email", until: Math.max(probeAt, now) },
  }
}

function tellSchedule({ email }: ExplainInput): StateExplanation {
  const time = email.scheduledAt ?? email.notBefore
  return {
    summary: [`Scheduled for ${at(time)}.`],
    next: [`No action needed. To reschedule it, call PATCH /emails/:id. ${CANCEL}`],
    waitingFor: { what: "its scheduled time", until: time },
  }
}

/** The lease tells a waiting retry, a running hand-over and a lost answer apart. */
function tellAttempt({ email, provider, now }: ExplainInput): StateExplanation {
  const { attempts, lastError, notBefore, unanswered } = email
  const explained = lastError === null ? null : explainFailure(lastError)
  const nth = `attempt ${Math.max(1, attempts)} of ${MAX_ATTEMPTS}`
  if (notBefore <= now) {
    return {
      summary: [`Not sent to the provider at ${nth}. Waiting in the queue.`],
      explained,
      waitingFor: { what: "its turn in the queue", until: null },
    }
  }
  if (unanswered === 0) {
    return {
      summary: [`The provider did not accept the email at ${nth}. Retrying.`],
      explained,
      next: [NOTHING_TO_DO],
      waitingFor: { what: `attempt ${attempts + 1} of ${MAX_ATTEMPTS}`, until: notBefore },
    }
  }
  const claimedAt = notBefore - LEASE_MS - (provider.settleMs ?? 0)
  if (now < claimedAt + LEASE_MS) {
    return {
      summary: [`Sending to the provider: ${nth}.`],
      explained,
      waitingFor: { what: "the provider's response", until: claimedAt + LEASE_MS },
    }
  }
  return {
    summary: [`The provider's response to ${nth} was lost. It may or may not have the email.`],
    explained,
    next: [
      "No action needed. If the provider does not report the email in time, it is sent again.",
    ],
    waitingFor: { what: "the provider's report", until: notBefore },
  }
}
