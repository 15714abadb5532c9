import type { CampaignStatus } from "../../campaigns/contract.ts"
import type { Provider } from "../../providers/provider.ts"
import type { SuppressionReason } from "../../suppressions/contract.ts"
import { ERASED_HOST } from "../../suppressions/erased.ts"
import type { EmailEventType } from "../contract.ts"
import type { providerPauses } from "../sending/table.ts"
import type { EmailRow, emailEvents } from "../table.ts"
import type { Explanation } from "./contract.ts"

type PauseRow = typeof providerPauses.$inferSelect
export type Entry = typeof emailEvents.$inferSelect

export interface ExplainInput {
  email: EmailRow
  /** The beginning and the end of its timeline, oldest first. */
  entries: readonly Entry[]
  /** The timeline is too long, so entries between its beginning and its end are missing. */
  isCut: boolean
  /** The recipients that are on the suppression list now. */
  suppressed: readonly { address: string; reason: SuppressionReason }[]
  hasContent: boolean
  campaign?: { status: CampaignStatus; pausedReason: string | null } | undefined
  sequence?: { isOver: boolean; isPaused: boolean; opensAt: number | null } | undefined
  /** The provider that sends such mail now. */
  provider: Pick<Provider, "name" | "settleMs">
  /** Bounces can come as mail. */
  takesReports?: boolean
  /** Since when the provider takes no mail, and why. */
  pause?: Pick<PauseRow, "since" | "reason" | "probeAt"> | undefined
  now: number
}

/** An explanation of a state, whose `next` may name the same twice. */
export type StateExplanation = Omit<Explanation, "attempts">

export const entriesOf = ({ entries }: ExplainInput, ...types: EmailEventType[]) =>
  entries.filter(({ type }) => types.includes(type))

export const at = (time: number) => new Date(time).toISOString()

export const recipientsOf = ({ email }: ExplainInput): string[] => [
  ...new Set(email.recipients.map(({ address }) => address)),
]

export const isErased = (address: string) => address.endsWith(ERASED_HOST)

/** `ada@example.com`, or how many of the recipients. */
export function describeRecipients(known: ExplainInput, addresses: readonly string[]): string {
  const [first = ""] = addresses
  if (addresses.length === 1 && !isErased(first)) return first
  const all = recipientsOf(known).length
  return all === 1 ? "the recipient" : `${addresses.length} of ${all} recipients`
}
