import {
  type EmailEventType,
  SENT_AGAIN,
  SETTLED_BY_HIT,
  SETTLED_BY_PROVIDER_EVENT,
} from "../contract.ts"
import type { Attempt } from "./contract.ts"
import { type Entry, type ExplainInput, entriesOf } from "./input.ts"

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

/** The attempts that the record knows: those on the timeline, and the last failure, which has no time. */
export function toAttempts(known: ExplainInput): Attempt[] {
  const { lastError } = known.email
  const isOnTimeline = entriesOf(known, "failed", "cancelled").some(
    ({ data }) => data.reason === lastError,
  )
  const faults: Attempt[] =
    lastError && !isOnTimeline ? [{ at: null, outcome: "fault", answer: lastError }] : []
  const attempts = known.entries.flatMap((entry): Attempt[] => {
    const outcome = OUTCOMES[entry.type]
    return outcome ? [{ at: entry.occurredAt, outcome, answer: answerOf(entry) }] : []
  })
  return [...faults, ...attempts].slice(-MAX_ATTEMPTS_SHOWN)
}

function answerOf({ type, data }: Entry): string | null {
  const { diagnosticCode, reason, complaintFeedbackType } = data
  if (type === "sent") return SETTLED[reason ?? ""] ?? null
  return diagnosticCode ?? reason ?? complaintFeedbackType ?? null
}
