import { NEVER_ANSWERED } from "../contract.ts"
import { type Explained, explainEntry, explainFailure, remedyOf } from "./cause.ts"
import { FATES, type Fate, type FateGroup, groupByFate, reportedOf } from "./fates.ts"
import {
  at,
  describeRecipients,
  type Entry,
  type ExplainInput,
  entriesOf,
  type StateExplanation,
} from "./input.ts"

/** Explains an email that was handed over, or that will never be sent. */
export function explainOutcome(known: ExplainInput): StateExplanation {
  switch (known.email.status) {
    case "failed":
      return explainFailed(known)
    case "cancelled":
      return explainCancelled(known)
    default:
      return explainSent(known)
  }
}

function explainSent(known: ExplainInput): StateExplanation {
  const { email } = known
  const groups = groupByFate(known)
  const addressesOf = (...fates: Fate[]) =>
    groups.flatMap(({ fate, addresses }) => (fates.includes(fate) ? addresses : []))
  const expected = addressesOf("delayed", "pending")
  const problem = groups.find(({ fate }) => fate !== "delivered")
  const explained = problem ? explainLast(problem.entries) : null
  const bounced = addressesOf("complained", "hardBounced", "softBounced", "bounced")
  return {
    summary: [
      ...(email.status === "sent"
        ? [`The provider accepted the email at ${at(email.sentAt ?? email.createdAt)}.`]
        : []),
      ...describeFates(known, groups),
      ...describeHits(known),
    ].join(" "),
    cause: explained?.cause ?? null,
    next: [
      ...remedyOf(explained, { isTried: problem?.fate === "delayed" }),
      ...adviseOnSuppression(known, bounced),
      ...groups.flatMap(({ fate }) => FATES[fate].next ?? []),
    ],
    waitingFor:
      expected.length > 0
        ? { what: `the provider's report on ${describeRecipients(known, expected)}`, until: null }
        : null,
  }
}

function explainFailed(known: ExplainInput): StateExplanation {
  const { attempts, lastError } = known.email
  const reason = entriesOf(known, "failed").at(-1)?.data.reason ?? lastError
  const explained = explainFailure(reason)
  const isUnanswered = reason === NEVER_ANSWERED
  const after = attempts > 1 ? ` after ${attempts} attempts` : ""
  return {
    summary: [
      isUnanswered
        ? "Failed: the provider did not respond."
        : `Failed${after}: the email was not sent.`,
      ...describeFates(known, groupByFate(known)),
    ].join(" "),
    cause: explained.cause,
    next: [
      explained.remedy,
      ...(isUnanswered ? ["The status updates if the provider reports the email later."] : []),
    ],
    waitingFor: null,
  }
}

function explainCancelled(known: ExplainInput): StateExplanation {
  const entries = entriesOf(known, "cancelled")
  const { cause, remedy } = explainEntry("cancelled", entries.at(-1)?.data ?? {}) as Explained
  const suppressed = cause.code === "suppressed_recipient" ? reportedOf(known, entries) : []
  return {
    summary:
      suppressed.length > 0
        ? `Cancelled because of the suppression list: ${describeRecipients(known, suppressed)}.`
        : "Cancelled before it was sent.",
    cause,
    next: [remedy, ...adviseOnSuppression(known, suppressed)],
    waitingFor: null,
  }
}

function explainLast(entries: readonly Entry[]): Explained | null {
  const last = entries.at(-1)
  return last ? explainEntry(last.type, last.data) : null
}

const describeFates = (known: ExplainInput, groups: readonly FateGroup[]) =>
  groups.map(({ fate, addresses, entries }) => {
    const last = entries.at(-1)
    const when = fate === "delivered" && last ? ` at ${at(last.occurredAt)}` : ""
    const who = describeRecipients(known, addresses)
    return FATES[fate].sentence.replace("WHO", () => `${who}${when}`)
  })

function describeHits(known: ExplainInput): string[] {
  const [opened] = entriesOf(known, "opened")
  const [clicked] = entriesOf(known, "clicked")
  return [
    ...(opened ? [`First opened at ${at(opened.occurredAt)}.`] : []),
    ...(clicked ? [`First click at ${at(clicked.occurredAt)}.`] : []),
  ]
}

const SUPPRESSION_ADVICE = {
  complaint: "Suppressed: WHO. 'overrideSuppression' does not apply to complaints.",
  other: "Suppressed: WHO. To send again, call DELETE /suppressions/:email.",
  none: "Not suppressed: WHO. New email is not blocked.",
} as const
type Suppression = keyof typeof SUPPRESSION_ADVICE

/** Whether these recipients are suppressed now, and what that means for the next email. */
function adviseOnSuppression(known: ExplainInput, addresses: readonly string[]): string[] {
  const suppressionOf = (address: string): Suppression => {
    const listed = known.suppressed.filter((one) => one.address === address)
    if (listed.length === 0) return "none"
    return listed.some(({ reason }) => reason === "complaint") ? "complaint" : "other"
  }
  const groups = Object.groupBy(addresses, suppressionOf)
  return (Object.keys(SUPPRESSION_ADVICE) as Suppression[]).flatMap((suppression) => {
    const who = groups[suppression]
    return who
      ? [SUPPRESSION_ADVICE[suppression].replace("WHO", () => describeRecipients(known, who))]
      : []
  })
}
