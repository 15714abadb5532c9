import { ERASED_HOST } from "../../suppressions/erased.ts"
import { OPEN_STATUSES } from "../statuses.ts"
import { toAttempts } from "./attempts.ts"
import type { Explanation } from "./contract.ts"
import type { Known, Told } from "./known.ts"
import { tellOutcome } from "./outcome.ts"
import { tellWait } from "./wait.ts"

export function tellStory(known: Known): Explanation {
  const { summary, explained, next = [], waitingFor = null } = tellState(known)
  return {
    summary: [...summary, ...tellRest(known)].join(" "),
    cause: explained?.cause ?? null,
    next: [...new Set([...(explained ? [explained.mend] : []), ...next])],
    attempts: toAttempts(known),
    waitingFor,
  }
}

const isOpen = ({ status }: Known["email"]) => OPEN_STATUSES.includes(status)

const tellState = (known: Known): Told =>
  isOpen(known.email) ? tellWait(known) : tellOutcome(known)

/** What has gone since, whatever the state. */
function tellRest({ email, hasContent }: Known): string[] {
  if (email.recipients.some(({ address }) => address.endsWith(ERASED_HOST))) {
    return ["A recipient's address was erased, and with it everything that named the person."]
  }
  return !isOpen(email) && !hasContent && email.campaignId === null
    ? ["Its content has been purged."]
    : []
}
