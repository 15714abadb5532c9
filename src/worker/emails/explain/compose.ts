import {
  type EmailEventType,
  SENT_AGAIN,
  SETTLED_BY_HIT,
  SETTLED_BY_PROVIDER_EVENT,
} from "../contract.ts"
import { OPEN_STATUSES } from "../statuses.ts"
import type { Attempt, Explanation } from "./contract.ts"
import { type Entry, type ExplainInput, isErased } from "./input.ts"
import { explainOutcome } from "./outcome.ts"
import { explainWait } from "./wait.ts"

export function composeExplanation(known: ExplainInput): Explanation {
  const isOpen = OPEN_STATUSES.includes(known.email.status)
  const state = isOpen ? explainWait(known) : explainOutcome(known)
  return {
    ...state,
    summary: [state.summary, ...describeRemovals(known, isOpen)].join(" "),
    next: [...new Set(state.next)],
    attempts: toAttempts(known),
  }
}

/** What was erased or purged since. */
function describeRemovals({ email, hasContent }: ExplainInput, isOpen: boolean): string[] {
  if (email.recipients.some(({ address }) => isErased(address))) {
    return ["A recipient's address and personal data were erased."]
  }
  return !isOpen && !hasContent && email.campaignId === null
    ? ["Its content has been deleted."]
    : []
}

const MAX_ATTEMPTS_SHOWN = 100

const OUTCOMES: Partial<Record<EmailEventType, Attempt["outcome"]>> = {
  sent: "accepted",
  delivered: "delivered",
  delayed: "delayed",
  bounced: "bounced",
  complained: "complained",
  failed: "failed",
}

const SETTLED: Record<string, string> = {
  [SETTLED_BY_PROVIDER_EVENT]: "The answer was lost. The provider confirmed the email later.",
  [SETTLED_BY_HIT]: "The answer was lost. The email was opened later, so it had arrived.",
  [SENT_AGAIN]: "An earlier answer was lost, so the email was sent again.",
}

/** Those that were put off, and those on the timeline. */
function toAttempts({ email, entries }: ExplainInput): Attempt[] {
  const faults = email.faults.map((fault): Attempt => ({ ...fault, outcome: "fault" }))
  const reported = entries.flatMap((entry): Attempt[] => {
    const outcome = OUTCOMES[entry.type]
    return outcome ? [{ at: entry.occurredAt, outcome, answer: answerOf(entry) }] : []
  })
  return [...faults, ...reported].sort((a, b) => a.at - b.at).slice(-MAX_ATTEMPTS_SHOWN)
}

function answerOf({ type, data }: Entry): string | null {
  const { diagnosticCode, reason, complaintFeedbackType } = data
  if (type === "sent") return SETTLED[reason ?? ""] ?? reason ?? null
  return diagnosticCode ?? reason ?? complaintFeedbackType ?? null
}
