export const SEQUENCE_STATUSES = ["draft", "active", "paused", "archived"] as const
export type SequenceStatus = (typeof SEQUENCE_STATUSES)[number]

export const RUN_STATES = ["waiting", "held", "done"] as const
export type RunState = (typeof RUN_STATES)[number]

export const RUN_ENDS = [
  "finished",
  "goal",
  "reply",
  "unsubscribed",
  "suppressed",
  "deleted",
  "person",
  "archived",
] as const
export type RunEnd = (typeof RUN_ENDS)[number]

export const ENTRIES = ["once", "again"] as const

/** The counters of a step. */
export const STEP_COUNTS = [
  "entered",
  "waiting",
  "sent",
  "delivered",
  "opened",
  "clicked",
  "unsubscribed",
  "ended",
] as const
