import type { Entry, ExplainInput } from "./input.ts"
import { isComplaint, isHard } from "./kinds.ts"
import { isErased, recipientsOf } from "./recipients.ts"

/** Whether the recipients of these entries are suppressed now, and what that means for the next send. */
export function adviseOnSuppression(known: ExplainInput, entries: readonly Entry[]): string[] {
  const addresses = affectedBy(known, entries)
  const groups = Object.groupBy(addresses, (address) => stateOf(known, entries, address))
  return STATES.flatMap((state) => {
    const group = groups[state]
    return group ? [advise(state, nameGroup(group, addresses), group.length === 1)] : []
  })
}

/** The recipients that the entries are about. */
export const affectedBy = (known: ExplainInput, entries: readonly Entry[]): string[] =>
  recipientsOf(known).filter((address) => entries.some(isAbout(known, address)))

/** An email with one recipient has no reports about others. */
const isAbout =
  (known: ExplainInput, address: string) =>
  ({ data }: Entry) =>
    data.recipients?.includes(address) || recipientsOf(known).length === 1

const STATES = ["complaint", "suppressed", "complaintRemoved", "removed", "free"] as const
type State = (typeof STATES)[number]

function stateOf(known: ExplainInput, entries: readonly Entry[], address: string): State {
  const own = entries.filter(isAbout(known, address))
  const listed = known.suppressed.filter((one) => one.address === address)
  const hasComplained = own.some(isComplaint)
  if (listed.length > 0)
    return hasComplained && listed.some(({ reason }) => reason === "complaint")
      ? "complaint"
      : "suppressed"
  if (hasComplained) return "complaintRemoved"
  return own.some(isHard) || own.some(({ type }) => type === "cancelled") ? "removed" : "free"
}

function advise(state: State, who: string, isOne: boolean): string {
  const [it, is, was] = isOne ? ["it", "is", "was"] : ["them", "are", "were"]
  switch (state) {
    case "complaint":
      return `${who} ${is} suppressed. 'overrideSuppression' does not apply to complaints.`
    case "suppressed":
      return `${who} ${is} suppressed. To send to ${it} again, call DELETE /suppressions/:email.`
    case "complaintRemoved":
      return `${who} ${was} suppressed and no longer ${is}. Email to ${it} is not blocked.`
    case "removed":
      return `${who} ${was} suppressed and no longer ${is}. You can send to ${it} again.`
    case "free":
      return `${who} ${is} not suppressed. You can send to ${it} again.`
  }
}

function nameGroup(group: readonly string[], all: readonly string[]): string {
  const [only = ""] = group
  if (group.length === all.length) return all.length === 1 ? "The address" : "The addresses"
  return group.length > 1 || isErased(only) ? `${group.length} of ${all.length} addresses` : only
}
