import { ERASED_HOST } from "../../suppressions/erased.ts"
import { type Entry, type ExplainInput, entriesOf, type StateExplanation } from "./input.ts"

export const recipientsOf = ({ email }: ExplainInput): string[] => [
  ...new Set(email.recipients.map(({ address }) => address)),
]

export const addressesOf = (entries: readonly Entry[]): string[] => [
  ...new Set(entries.flatMap(({ data }) => data.recipients ?? [])),
]

export const isErased = (address: string) => address.endsWith(ERASED_HOST)

export const describeRecipients = (known: ExplainInput, entries: readonly Entry[]): string =>
  describeAddresses(known, addressesOf(entries))

/** `ada@example.com`, or how many of the recipients. */
export function describeAddresses(known: ExplainInput, addresses: readonly string[]): string {
  const all = recipientsOf(known).length
  const [only] = addresses
  if (addresses.length === 1 && only !== undefined && !isErased(only)) return only
  if (addresses.length === 0 || all === 1) return all === 1 ? "the recipient" : "the recipients"
  return `${addresses.length} of ${all} recipients`
}

/** The verb after `describeAddresses`. */
export const agreeing = (
  known: ExplainInput,
  addresses: readonly string[],
  one: string,
  several: string,
): string => (addresses.length === 1 || recipientsOf(known).length === 1 ? one : several)

export function tellSkipped(known: ExplainInput): string[] {
  const skipped = addressesOf(entriesOf(known, "suppressed"))
  if (skipped.length === 0) return []
  const reason = agreeing(
    known,
    skipped,
    "was skipped because it was",
    "were skipped because they were",
  )
  return [`${describeAddresses(known, skipped)} ${reason} on the suppression list.`]
}

export const CONFIRMATIONS =
  "No action needed. Most confirmations arrive within minutes. Some servers never send one."
export const KEEPS_TRYING = "No action needed. The provider keeps trying for several hours."
export const NO_REPORTS = "SMTP servers do not report delivery."

/** Tells of recipients without an outcome, beside others that have one. */
export function explainPending(known: ExplainInput): StateExplanation {
  const pending = pendingRecipients(known)
  if (pending.length === 0) return { summary: [] }
  const who = describeAddresses(known, pending)
  if (known.provider.name === "smtp") {
    return { summary: [`The provider accepted the email for ${who}. ${NO_REPORTS}`] }
  }
  const delayed = addressesOf(entriesOf(known, "delayed")).filter((one) => pending.includes(one))
  const silent = pending.filter((one) => !delayed.includes(one))
  const verb = agreeing(known, silent, "has", "have")
  return {
    summary: [
      ...(delayed.length > 0
        ? [`Delivery to ${describeAddresses(known, delayed)} is delayed.`]
        : []),
      ...(silent.length > 0 ? [`${describeAddresses(known, silent)} ${verb} no report yet.`] : []),
    ],
    next: [silent.length > 0 ? CONFIRMATIONS : KEEPS_TRYING],
    waitingFor: { what: `the provider's report on ${who}`, until: null },
  }
}

/** Empty where the timeline does not tell whose report is missing. */
function pendingRecipients(known: ExplainInput): string[] {
  const all = recipientsOf(known)
  const outcomes = entriesOf(known, "delivered", "bounced", "complained", "failed")
  const isClear =
    !known.isCut &&
    outcomes.length > 0 &&
    outcomes.every(({ data }) => data.recipients?.every((one) => all.includes(one)))
  const settled = addressesOf([...outcomes, ...entriesOf(known, "suppressed")])
  return isClear ? all.filter((one) => !settled.includes(one)) : []
}
