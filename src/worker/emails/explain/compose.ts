import { ERASED_HOST } from "../../suppressions/erased.ts"
import { OPEN_STATUSES } from "../statuses.ts"
import { toAttempts } from "./attempts.ts"
import type { Explanation } from "./contract.ts"
import type { ExplainInput, StateExplanation } from "./input.ts"
import { explainOutcome } from "./outcome.ts"
import { explainWait } from "./wait.ts"

export function composeExplanation(known: ExplainInput): Explanation {
  const { summary, explained, next = [], waitingFor = null } = tellState(known)
  return {
    summary: [...summary, ...tellRest(known)].join(" "),
    cause: explained?.cause ?? null,
    next: [...new Set([...(explained ? [explained.remedy] : []), ...next])],
    attempts: toAttempts(known),
    waitingFor,
  }
}

const isOpen = ({ status }: ExplainInput["email"]) => OPEN_STATUSES.includes(status)

const tellState = (known: ExplainInput): StateExplanation =>
  isOpen(known.email) ? explainWait(known) : explainOutcome(known)

/** What has gone since, whatever the state. */
function tellRest({ email, hasContent }: ExplainInput): string[] {
  if (email.recipients.some(({ address }) => address.endsWith(ERASED_HOST))) {
    return ["A recipient's address and personal data were erased."]
  }
  return !isOpen(email) && !hasContent && email.campaignId === null
    ? ["Its content has been deleted."]
    : []
}
