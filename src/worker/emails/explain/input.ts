import type { CampaignStatus } from "../../campaigns/contract.ts"
import type { Provider } from "../../providers/provider.ts"
import type { SuppressionReason } from "../../suppressions/contract.ts"
import type { EmailEventType } from "../contract.ts"
import type { providerPauses } from "../sending/table.ts"
import type { EmailRow, emailEvents } from "../table.ts"
import type { Explained } from "./cause.ts"
import type { Explanation } from "./contract.ts"

type PauseRow = typeof providerPauses.$inferSelect
export type Entry = typeof emailEvents.$inferSelect

export interface Suppressed {
  address: string
  reason: SuppressionReason
}

export interface ExplainInput {
  email: EmailRow
  /** The beginning and the end of its timeline, oldest first. */
  entries: readonly Entry[]
  /** The timeline is too long, so entries between its beginning and its end are missing. */
  isCut: boolean
  /** The recipients that are on the suppression list now. */
  suppressed: readonly Suppressed[]
  hasContent: boolean
  campaign?: { status: CampaignStatus; pausedReason: string | null } | undefined
  /** The provider that sends such mail now. */
  provider: Pick<Provider, "name" | "settleMs">
  /** Since when the provider takes no mail, and why. */
  pause?: Pick<PauseRow, "since" | "reason" | "probeAt"> | undefined
  now: number
}

/** An explanation of a state: sentences, the cause of a failure, and what to do. */
export interface StateExplanation {
  summary: string[]
  explained?: Explained | null | undefined
  /** Beside the mend of the cause. */
  next?: string[]
  waitingFor?: Explanation["waitingFor"]
}

export const entriesOf = ({ entries }: ExplainInput, ...types: EmailEventType[]) =>
  entries.filter(({ type }) => types.includes(type))

export const at = (time: number) => new Date(time).toISOString()
