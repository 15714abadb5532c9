/** What the callers know by themselves. */
export interface Journal {
  /** By the key that the caller gave. */
  sends: Map<string, Send>
  /** Calls that got no answer, or a 5xx. */
  unanswered: number
  /** Answered keys that were sent again. */
  repeated: number
  campaigns: SentCampaign[]
  /** What no caller may see. */
  violations: string[]
}

export interface Send {
  to: string
  /** Without one, the call was never answered. */
  id?: string
  /** Tries without an answer before the one that was answered. */
  unanswered: number
  isCancelled: boolean
}

export interface SentCampaign {
  id: string
  addresses: string[]
}

export const createJournal = (): Journal => ({
  sends: new Map(),
  unanswered: 0,
  repeated: 0,
  campaigns: [],
  violations: [],
})
