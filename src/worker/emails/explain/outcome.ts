import { NEVER_ANSWERED } from "../contract.ts"
import { tellBounces } from "./bounces.ts"
import { tellCancellation } from "./cancellation.ts"
import { explainEntry, explainFailure } from "./cause.ts"
import { at, type Entry, type ExplainInput, entriesOf, type StateExplanation } from "./input.ts"
import { isComplaint, isHard, isNotSpam } from "./kinds.ts"
import {
  addressesOf,
  CONFIRMATIONS,
  describeRecipients,
  explainPending,
  isErased,
  KEEPS_TRYING,
  NO_REPORTS,
  recipientsOf,
  tellSkipped,
} from "./recipients.ts"
import { adviseOnSuppression } from "./suppression-advice.ts"

/** Tells of an email that was handed over, or that will never be sent. */
export function explainOutcome(known: ExplainInput): StateExplanation {
  switch (known.email.status) {
    case "delivered":
      return tellDelivered(known)
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
  const wait = { what: "the provider's report", until: null }
  if (delay) {
    return {
      summary: [
        `${accepted}. Delivery to ${describeRecipients(known, delays)} is delayed.`,
        ...tellSkipped(known),
        ...tellHits(known),
      ],
      explained: explainEntry("delayed", delay.data),
      next: [KEEPS_TRYING],
      waitingFor: wait,
    }
  }
  if (provider.name === "smtp") {
    return {
      summary: [`${accepted}. ${NO_REPORTS}`, ...tellSkipped(known), ...tellHits(known)],
      next: ["No action needed. Bounces go to the sender's mailbox."],
    }
  }
  return {
    summary: [
      `${accepted}. Delivery has not been confirmed yet.`,
      ...tellSkipped(known),
      ...tellHits(known),
    ],
    next: [CONFIRMATIONS],
    waitingFor: wait,
  }
}

function tellDelivered(known: ExplainInput): StateExplanation {
  const pending = explainPending(known)
  return {
    ...pending,
    summary: [
      ...tellDelivery(known),
      ...pending.summary,
      ...tellSkipped(known),
      ...tellHits(known),
    ],
  }
}

function tellDelivery(known: ExplainInput): string[] {
  const delivered = entriesOf(known, "delivered")
  return [`Delivered to ${describeRecipients(known, delivered)}${timeOf(known, delivered)}.`]
}

/** Deliveries to recipients other than those of the entries, which are told of already. */
function tellOtherDeliveries(known: ExplainInput, told: readonly Entry[]): string[] {
  const isTold = (address: string) => addressesOf(told).includes(address)
  const delivered = entriesOf(known, "delivered").filter(
    ({ data }) => !data.recipients?.every(isTold),
  )
  const others = addressesOf(delivered).filter((one) => !isTold(one))
  const [only] = others
  if (only === undefined || recipientsOf(known).length === 1) return []
  const noun = others.length === 1 ? "recipient" : "recipients"
  const who = others.length === 1 && !isErased(only) ? only : `${others.length} other ${noun}`
  return [`Delivered to ${who}${timeOf(known, delivered)}.`]
}

/** The time of the last delivery, and whether one of them was delayed. */
function timeOf(known: ExplainInput, delivered: readonly Entry[]): string {
  const last = delivered.at(-1)
  const addresses = addressesOf(delivered)
  const isDelayed = entriesOf(known, "delayed").some(
    ({ data }) => data.recipients?.some((one) => addresses.includes(one)) ?? true,
  )
  return `${last ? ` at ${at(last.occurredAt)}` : ""}${isDelayed ? " after a delay" : ""}`
}

function tellHits(known: ExplainInput): string[] {
  const [opened] = entriesOf(known, "opened")
  const [clicked] = entriesOf(known, "clicked")
  return [
    ...(opened ? [`First opened at ${at(opened.occurredAt)}.`] : []),
    ...(clicked ? [`First click at ${at(clicked.occurredAt)}.`] : []),
  ]
}

function tellBounce(known: ExplainInput): StateExplanation {
  const bounces = entriesOf(known, "bounced")
  const entry = bounces.findLast(isHard) ?? bounces.at(-1)
  const pending = explainPending(known)
  return {
    ...pending,
    summary: [
      ...(entry
        ? tellBounces(known)
        : [`Bounced: ${describeRecipients(known, [])} could not be reached.`]),
      ...tellOtherDeliveries(known, bounces),
      ...pending.summary,
      ...tellSkipped(known),
      ...tellHits(known),
    ],
    explained: entry && explainEntry("bounced", entry.data),
    next: adviseOnSuppression(known, bounces),
  }
}

function tellComplaint(known: ExplainInput): StateExplanation {
  const all = entriesOf(known, "complained")
  const complaints = all.filter(isComplaint)
  const bounces = entriesOf(known, "bounced")
  const entry = complaints.at(-1) ?? all.at(-1)
  const isSpam = !entry || !isNotSpam(entry)
  const pending = explainPending(known)
  return {
    ...pending,
    summary: [
      isSpam
        ? `Marked as spam by ${describeRecipients(known, complaints)}.`
        : "The email was delivered. The recipient marked it as not spam.",
      ...tellBounces(known),
      ...tellOtherDeliveries(known, [...(isSpam ? complaints : all), ...bounces]),
      ...pending.summary,
      ...tellSkipped(known),
      ...(isSpam ? tellHits(known) : []),
    ],
    explained: entry && explainEntry("complained", entry.data),
    next: [
      ...adviseOnSuppression(known, [...complaints, ...bounces]),
      ...(isSpam
        ? ["Check your complaint rate with GET /stats. Providers pause accounts above 0.1%."]
        : []),
    ],
  }
}

function tellFailure(known: ExplainInput): StateExplanation {
  const { email } = known
  const reason = entriesOf(known, "failed").at(-1)?.data.reason ?? email.lastError
  const explained = explainFailure(reason)
  const skipped = tellSkipped(known)
  if (reason === NEVER_ANSWERED) {
    return {
      summary: ["Failed: the provider did not respond.", ...skipped],
      explained,
      next: ["The status updates if the provider reports the email later."],
    }
  }
  const after = email.attempts > 1 ? ` after ${email.attempts} attempts` : ""
  return { summary: [`Failed${after}: the email was not sent.`, ...skipped], explained }
}
