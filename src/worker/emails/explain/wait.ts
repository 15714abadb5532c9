import { MAX_ATTEMPTS } from "../../providers/provider.ts"
import { explainFailure, remedyOf } from "./cause.ts"
import { at, type ExplainInput, type StateExplanation } from "./input.ts"

interface Wait {
  when: boolean
  summary: string
  what: string
  until?: number
  next?: string
  /** The last fault, in the words of the provider. */
  fault?: string | null
}

/** Explains an email that waits, or whose hand-over is not confirmed. */
export function explainWait(known: ExplainInput): StateExplanation {
  const { summary, what, until = null, next, fault = null } = waitOf(known)
  const explained = fault === null ? null : explainFailure(fault)
  return {
    summary,
    cause: explained?.cause ?? null,
    next: [...remedyOf(explained, { isTried: true }), ...(next ? [next] : [])],
    waitingFor: { what, until },
  }
}

/** The first wait that applies. */
function waitOf({ email, campaign, sequence, pause, provider, now }: ExplainInput): Wait {
  const { attempts, lastError, notBefore, unanswered } = email
  const isUntried = attempts === 0 && unanswered === 0
  const isInQueue = isUntried || notBefore <= now
  const cancel = email.status === "sending" ? "" : " To cancel it, call POST /emails/:id/cancel."
  const nth = `attempt ${Math.max(1, attempts)} of ${MAX_ATTEMPTS}`
  const scheduledAt = email.scheduledAt ?? notBefore
  const leaseEnd = notBefore - (provider.settleMs ?? 0)
  const waits: Wait[] = [
    {
      when: campaign?.status === "cancelled",
      summary: "The campaign was cancelled. This email will be cancelled too.",
      what: "cancellation",
    },
    {
      when: sequence?.isOver === true && isInQueue,
      summary: "The sequence has ended for this person. This email will be cancelled.",
      what: "cancellation",
    },
    {
      when: email.status === "scheduled",
      summary: `Scheduled for ${at(scheduledAt)}.`,
      what: "its scheduled time",
      until: scheduledAt,
      next: `No action needed. To reschedule it, call PATCH /emails/:id.${cancel}`,
    },
    {
      when: Boolean(campaign?.pausedReason) && isInQueue,
      summary: `The campaign is paused: ${campaign?.pausedReason}`,
      what: "the campaign to be resumed",
      next: `To send it, call POST /campaigns/:id/resume.${cancel}`,
    },
    {
      when: sequence?.isPaused === true && isInQueue,
      summary: "The sequence is paused.",
      what: "the sequence to be activated",
      next: `To send it, call POST /sequences/:id/activate.${cancel}`,
    },
    {
      when: Boolean(sequence?.opensAt) && isInQueue,
      summary: `Queued. The sending window of the sequence opens at ${at(sequence?.opensAt ?? now)}.`,
      what: "the sending window",
      until: sequence?.opensAt ?? now,
      next: `No action needed.${cancel}`,
    },
    {
      when: pause !== undefined && isInQueue,
      summary: `Waiting: the provider has not accepted email since ${at(pause?.since ?? now)}.`,
      what: "the provider to accept email",
      until: Math.max(pause?.probeAt ?? now, now),
      next: `No action needed. It is sent when the provider accepts email again.${cancel}`,
      fault: pause?.reason ?? null,
    },
    {
      when: isUntried,
      summary: "Queued. It has not been sent to the provider yet.",
      what: "its turn in the queue",
      next: `No action needed.${cancel}`,
    },
    {
      when: notBefore <= now,
      summary: `Not sent to the provider at ${nth}. Waiting in the queue.`,
      what: "its turn in the queue",
      fault: lastError,
    },
    {
      when: unanswered === 0,
      summary: `The provider did not accept the email at ${nth}. Retrying.`,
      what: `attempt ${attempts + 1} of ${MAX_ATTEMPTS}`,
      until: notBefore,
      next: "No action needed. Edgepost retries automatically.",
      fault: lastError,
    },
    {
      when: now < leaseEnd,
      summary: `Sending to the provider: ${nth}.`,
      what: "the provider's response",
      until: leaseEnd,
      fault: lastError,
    },
    {
      when: true,
      summary: `The provider's response to ${nth} was lost. It may or may not have the email.`,
      what: "the provider's report",
      until: notBefore,
      next: "No action needed. If the provider does not report the email in time, it is sent again.",
      fault: lastError,
    },
  ]
  return waits.find(({ when }) => when) as Wait
}
