import { explainCancellation, explainEntry } from "./cause.ts"
import { type Entry, type ExplainInput, entriesOf, type StateExplanation } from "./input.ts"
import { SEND_NEW } from "./reasons/reason.ts"
import { addressesOf, agreeing, describeRecipients, recipientsOf } from "./recipients.ts"
import { adviseOnSuppression, affectedBy } from "./suppression-advice.ts"

export function tellCancellation(known: ExplainInput): StateExplanation {
  const entry = entriesOf(known, "cancelled").at(-1)
  if (entry?.data.reason === "suppressed_recipient") return tellSuppressed(known, entry)
  return {
    summary: ["Cancelled before it was sent."],
    explained: explainEntry("cancelled", entry?.data ?? {}),
  }
}

function tellSuppressed(known: ExplainInput, entry: Entry): StateExplanation {
  const { skipsSuppressed } = known.email
  const explained = explainCancellation(
    skipsSuppressed ? "every_recipient_suppressed" : entry.data.reason,
  )
  const affected = affectedBy(known, [entry])
  const isStill = known.suppressed.some(({ address }) => affected.includes(address))
  const who = describeRecipients(known, [entry])
  const were = agreeing(known, addressesOf([entry]), "was", "were")
  return {
    summary: [
      skipsSuppressed
        ? tellAllSuppressed(known, who)
        : `Cancelled: ${who} ${were} suppressed after the email was accepted.`,
    ],
    explained: { ...explained, ...(!isStill && { remedy: SEND_NEW }) },
    next: adviseOnSuppression(known, [entry]),
  }
}

/** An email that was cancelled when it was accepted was never claimed, so it has no attempt. */
function tellAllSuppressed(known: ExplainInput, who: string): string {
  const everyone = recipientsOf(known).length === 1 ? who : "every recipient"
  const when = known.email.attempts === 0 ? "accepted" : "due"
  return `Cancelled: ${everyone} was on the suppression list when the email was ${when}.`
}
