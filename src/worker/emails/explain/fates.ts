import { type Entry, type ExplainInput, entriesOf, recipientsOf } from "./input.ts"

interface FateExplanation {
  sentence: string
  /** What to do beside the remedy of the cause. */
  next?: string
}

const table = <Name extends string>(rows: Record<Name, FateExplanation>) => rows

/** What becomes of a recipient: the most important first. */
export const FATES = table({
  complained: {
    sentence: "Marked as spam by WHO.",
    next: "Check your complaint rate with GET /stats. Providers pause accounts above 0.1%.",
  },
  hardBounced: { sentence: "Hard bounce: WHO could not be reached." },
  softBounced: { sentence: "Soft bounce: WHO could not be reached." },
  bounced: { sentence: "Bounced: WHO could not be reached." },
  notSpam: { sentence: "Marked as not spam by WHO." },
  delivered: { sentence: "Delivered to WHO." },
  delayed: {
    sentence: "Delivery to WHO is delayed.",
    next: "No action needed. The provider keeps trying for several hours.",
  },
  pending: {
    sentence: "No report yet on WHO.",
    next: "No action needed. Most confirmations arrive within minutes. Some servers never send one.",
  },
  unreported: {
    sentence: "SMTP servers do not report delivery to WHO.",
    next: "No action needed. Bounces go to the sender's mailbox.",
  },
  reportedByMail: {
    sentence: "SMTP servers do not report delivery to WHO.",
    next: "No action needed. A bounce that comes by mail is shown here.",
  },
  suppressed: { sentence: "Skipped because of the suppression list: WHO." },
})
export type Fate = keyof typeof FATES

/** The recipients of one fate, and the entries that report it. */
export interface FateGroup {
  fate: Fate
  addresses: string[]
  entries: Entry[]
}

/** Each recipient is in one group: that of its most important entry, or of those without one. */
export function groupByFate(known: ExplainInput): FateGroup[] {
  const grouped = new Set<string>()
  const groups = (Object.keys(FATES) as Fate[]).map((fate): FateGroup => {
    const entries = known.entries.filter((entry) => fateOf(entry) === fate)
    const addresses = reportedOf(known, entries).filter((address) => !grouped.has(address))
    for (const address of addresses) grouped.add(address)
    const isOfGroup = (entry: Entry) =>
      reportedOf(known, [entry]).some((address) => addresses.includes(address))
    return { fate, addresses, entries: entries.filter(isOfGroup) }
  })
  const fate = fateWithoutEntry(known)
  const addresses = recipientsOf(known).filter((address) => !grouped.has(address))
  if (fate) groups.push({ fate, addresses, entries: [] })
  return groups.filter((group) => group.addresses.length > 0)
}

/** The recipients that entries are about. An email with one recipient has no reports on others. */
export function reportedOf(known: ExplainInput, entries: readonly Entry[]): string[] {
  const all = recipientsOf(known)
  return [
    ...new Set(entries.flatMap(({ data }) => (all.length === 1 ? all : (data.recipients ?? all)))),
  ]
}

function fateOf({ type, data }: Entry): Fate | null {
  switch (type) {
    case "complained":
      return data.complaintFeedbackType === "not-spam" ? "notSpam" : "complained"
    case "bounced":
      if (data.bounceType === "Permanent") return "hardBounced"
      return data.bounceType === "Transient" ? "softBounced" : "bounced"
    case "delivered":
    case "delayed":
    case "suppressed":
      return type
    default:
      return null
  }
}

/** Null where the timeline does not tell whose report is missing. */
function fateWithoutEntry(known: ExplainInput): Fate | null {
  const { status } = known.email
  const byMail = known.takesReports ? "reportedByMail" : "unreported"
  const pending = known.provider.name === "smtp" ? byMail : "pending"
  if (status === "sent") return pending
  if (status !== "delivered" && status !== "bounced" && status !== "complained") return null
  const outcomes = entriesOf(known, "delivered", "bounced", "complained")
  if (outcomes.length === 0) return status
  const all = recipientsOf(known)
  const isClear = outcomes.every(({ data }) => data.recipients?.every((one) => all.includes(one)))
  return isClear && !known.isCut ? pending : null
}
