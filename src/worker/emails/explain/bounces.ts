import { explainEntry } from "./cause.ts"
import { type Entry, type ExplainInput, entriesOf } from "./input.ts"
import { isHard, isSoft } from "./kinds.ts"
import { addressesOf, describeRecipients } from "./recipients.ts"

/** A sentence for each kind of bounce. An address with several bounces is told of once. */
export function tellBounces(known: ExplainInput): string[] {
  const bounces = entriesOf(known, "bounced")
  const hard = bounces.filter(isHard)
  const rest = withoutThose(bounces, hard)
  const soft = rest.filter(isSoft)
  return [
    ...tellKind(known, "Hard bounce", hard),
    ...tellKind(known, "Soft bounce", soft),
    ...tellKind(known, "Bounced", withoutThose(rest, soft)),
  ]
}

function withoutThose(entries: readonly Entry[], told: readonly Entry[]): Entry[] {
  const addresses = addressesOf(told)
  return entries.filter(
    (one) =>
      !told.includes(one) && !one.data.recipients?.every((address) => addresses.includes(address)),
  )
}

const BOUNCED: Record<string, string> = {
  mailbox_not_found: "does not exist",
  mailbox_full: "has a full mailbox",
  mailbox_disabled: "is disabled",
}

function tellKind(known: ExplainInput, kind: string, entries: readonly Entry[]): string[] {
  const last = entries.at(-1)
  if (!last) return []
  const recipients = describeRecipients(known, entries)
  const code = explainEntry("bounced", last.data)?.cause.code ?? ""
  const isOne = !recipients.endsWith("recipients")
  return [`${kind}: ${recipients} ${(isOne && BOUNCED[code]) || "could not be reached"}.`]
}
