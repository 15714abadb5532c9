import { NEVER_ANSWERED } from "../contract.ts"
import { explainEntry, explainFailure } from "./cause.ts"
import {
  at,
  describeRecipients,
  type Entry,
  type ExplainInput,
  entriesOf,
  type StateExplanation,
} from "./input.ts"

/** Tells of an email that was handed over, or that will never be sent. */
export function explainOutcome(known: ExplainInput): StateExplanation {
  switch (known.email.status) {
    case "delivered":
      return { summary: [...tellDelivery(known), ...tellSkipped(known), ...tellHits(known)] }
    case "bounced":
      return tellBounce(known)
    case "complained":
      return tellComplaint(known)
    case "failed":
      return tellFailure(known)
    case "cancelled":
      return tellCancellation(known)
    default:
      return tellSent(known)
  }
}

function tellSent(known: ExplainInput): StateExplanation {
  const { email, provider } = known
  const delays = entriesOf(known, "delayed")
  const delay = delays.at(-1)
  const accepted = `The provider accepted the email at ${at(email.sentAt ?? email.createdAt)}`
  const wait = { what: "the receiving server's answer, as the provider reports it", until: null }
  if (delay) {
    return {
      summary: [
        `${accepted}; delivery to ${describeRecipients(known, delays)} is delayed.`,
        ...tellHits(known),
      ],
      explained: explainEntry("delayed", delay.data),
      next: ["Nothing more: the provider goes on trying, for hours, and reports how it ends."],
      waitingFor: wait,
    }
  }
  if (provider.name === "smtp") {
    return {
      summary: [`${accepted}. An SMTP server reports nothing more.`, ...tellHits(known)],
      next: ["Nothing: bounces come to the sender's mailbox, if they come."],
    }
  }
  return {
    summary: [`${accepted}; what became of it has not been reported.`, ...tellHits(known)],
    next: ["Nothing: most outcomes come within minutes, and some servers never report one."],
    waitingFor: wait,
  }
}

function tellDelivery(known: ExplainInput): string[] {
  const delivered = entriesOf(known, "delivered")
  const last = delivered.at(-1)
  const when = last ? ` at ${at(last.occurredAt)}` : ""
  const delayed = entriesOf(known, "delayed").length > 0 ? " after a delay" : ""
  return [
    `The receiving server took the email for ${describeRecipients(known, delivered)}${when}${delayed}.`,
  ]
}

function tellHits(known: ExplainInput): string[] {
  const [opened] = entriesOf(known, "opened")
  const [clicked] = entriesOf(known, "clicked")
  return [
    ...(opened ? [`It was opened first at ${at(opened.occurredAt)}.`] : []),
    ...(clicked ? [`A link in it was clicked first at ${at(clicked.occurredAt)}.`] : []),
  ]
}

const isHard = ({ data }: Entry) => data.bounceType === "Permanent"

function tellBounce(known: ExplainInput): StateExplanation {
  const bounces = entriesOf(known, "bounced")
  const entry = bounces.findLast(isHard) ?? bounces.at(-1)
  const kind = entry && isHard(entry) ? " for good" : isSoft(entry) ? " for now" : ""
  const others = entriesOf(known, "delivered").length > 0 ? tellDelivery(known) : []
  return {
    summary: [
      `The email bounced${kind} at ${describeRecipients(known, bounces)}.`,
      ...others,
      ...tellHits(known),
    ],
    explained: entry && explainEntry("bounced", entry.data),
    next: bounces.some(isHard)
      ? [
          "The address is on the suppression list: DELETE /suppressions/:email lets it be mailed again.",
        ]
      : ["The address is not suppressed: the next email to it is tried."],
  }
}

const isSoft = (entry: Entry | undefined) => entry?.data.bounceType === "Transient"

const isNotSpam = ({ data }: Entry) => data.complaintFeedbackType === "not-spam"

function tellComplaint(known: ExplainInput): StateExplanation {
  const complaints = entriesOf(known, "complained")
  const entry = complaints.findLast((one) => !isNotSpam(one)) ?? complaints.at(-1)
  const explained = entry && explainEntry("complained", entry.data)
  if (entry && isNotSpam(entry)) {
    return { summary: ["The email arrived, and its recipient said that it is no spam."], explained }
  }
  return {
    summary: [
      `A complaint about the email came from ${describeRecipients(known, complaints)}.`,
      ...tellHits(known),
    ],
    explained,
    next: [
      "The address is suppressed, and 'overrideSuppression' does not reach it.",
      "Watch the rate of complaints in GET /stats: providers pause accounts above 0.1 percent.",
    ],
  }
}

function tellFailure(known: ExplainInput): StateExplanation {
  const { email } = known
  const reason = entriesOf(known, "failed").at(-1)?.data.reason ?? email.lastError
  const explained = explainFailure(reason)
  if (reason === NEVER_ANSWERED) {
    return {
      summary: ["The email failed: the provider never answered."],
      explained,
      next: ["If the provider reports the email later, its status follows the report."],
    }
  }
  const after = email.attempts > 1 ? ` after ${email.attempts} attempts` : ""
  return { summary: [`The email failed${after}: it was not sent.`], explained }
}

function tellSkipped(known: ExplainInput): string[] {
  const skipped = entriesOf(known, "suppressed")
  return skipped.length > 0
    ? [`It was not sent to ${describeRecipients(known, skipped)}, on the suppression list.`]
    : []
}

function tellCancellation(known: ExplainInput): StateExplanation {
  const entry = entriesOf(known, "cancelled").at(-1)
  const explained = explainEntry("cancelled", entry?.data ?? {})
  const suppressed = entry?.data.reason === "suppressed_recipient"
  return {
    summary: [
      suppressed
        ? `The email was cancelled: ${describeRecipients(known, [entry])} is suppressed by now.`
        : "The email was cancelled before it went out.",
    ],
    explained,
  }
}
