import { MAX_ATTEMPTS } from "../../providers/provider.ts"
import { LEASE_MS } from "../sending/claim.ts"
import { explainFailure } from "./cause.ts"
import { at, type ExplainInput, type StateExplanation } from "./input.ts"
import { NOTHING_TO_DO } from "./reasons/reason.ts"

const CANCEL = "POST /emails/:id/cancel takes it back."

/** Tells of an email that waits, or whose hand-over is not confirmed. */
export function explainWait(known: ExplainInput): StateExplanation {
  const { email, isCampaignCancelled } = known
  if (isCampaignCancelled) {
    return {
      summary: ["The email's campaign was cancelled: the email will be cancelled too."],
      waitingFor: { what: "its own cancellation", until: null },
    }
  }
  if (email.status === "scheduled") return tellSchedule(known)
  const isUntried = email.status === "queued" || (email.attempts === 0 && email.unanswered === 0)
  if (known.pause && (isUntried || email.notBefore <= known.now)) {
    return tellPause(known, known.pause)
  }
  if (isUntried) {
    return {
      summary: [
        "The email is queued: it was accepted and has not been handed to the provider yet.",
      ],
      next: [`Nothing: it goes out by itself. ${CANCEL}`],
      waitingFor: { what: "its turn to be handed to the provider", until: null },
    }
  }
  return tellAttempt(known)
}

function tellPause(
  { now }: ExplainInput,
  { since, reason, probeAt }: NonNullable<ExplainInput["pause"]>,
): StateExplanation {
  return {
    summary: [`The email waits: the provider has accepted no mail since ${at(since)}.`],
    explained: explainFailure(reason),
    next: [`No action needed: it goes out when the provider accepts mail again. ${CANCEL}`],
    waitingFor: { what: "the provider to accept mail again", until: Math.max(probeAt, now) },
  }
}

function tellSchedule({ email }: ExplainInput): StateExplanation {
  const time = email.scheduledAt ?? email.notBefore
  return {
    summary: [`The email is scheduled for ${at(time)}.`],
    next: [`Nothing: it goes out by itself. PATCH /emails/:id moves it; ${CANCEL}`],
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
      summary: [`The email was not handed over at ${nth} and waits for another turn.`],
      explained,
      waitingFor: { what: "its next turn to be handed to the provider", until: null },
    }
  }
  if (unanswered === 0) {
    return {
      summary: [`The provider did not take the email at ${nth}; it is tried again.`],
      explained,
      next: [NOTHING_TO_DO],
      waitingFor: { what: `attempt ${attempts + 1} of ${MAX_ATTEMPTS}`, until: notBefore },
    }
  }
  const claimedAt = notBefore - LEASE_MS - (provider.settleMs ?? 0)
  if (now < claimedAt + LEASE_MS) {
    return {
      summary: [`The email is being handed to the provider: ${nth}.`],
      explained,
      waitingFor: { what: "the provider's answer", until: claimedAt + LEASE_MS },
    }
  }
  return {
    summary: [`The provider's answer to ${nth} was lost: it may have the email or not.`],
    explained,
    next: ["Nothing: unless the provider reports the email by then, it is sent again."],
    waitingFor: { what: "the provider's own report of the email", until: notBefore },
  }
}
