import { ERASED_HOST } from "../../suppressions/erased.ts"
import { type Entry, type ExplainInput, entriesOf } from "./input.ts"

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
