import { CLOCKS_APART_MS } from "./clocks.ts"
import type { Invocation } from "./invocation.ts"

/** Why something happened that otherwise would be wrong. */
export type Excuse =
  | "the provider did not answer"
  | "the process died"
  | "the record was not made"
  | "the record was late"
  | "the report waited for an outage"
  | "a process was late for its slots"
  | "the object that shares out the rate had died"
  | "a clock was off by more than a second"
  | "a clock that was ahead had taken it"
  | "an event waited while the subscription changed"
  | "a message is kept unread: each process that read it has died"
  | "an upload that led to no email is left to the bucket's rule"

export type Excuses = ReturnType<typeof createExcuses>

/** Counts the excuses, and knows how far the clocks have been ahead. */
export function createExcuses() {
  const counts = new Map<Excuse, number>()
  const count = (excuse: Excuse) => void counts.set(excuse, (counts.get(excuse) ?? 0) + 1)
  let furthestAheadMs = 0

  return {
    counts: counts as ReadonlyMap<Excuse, number>,
    count,
    noteClock(errorMs: number) {
      furthestAheadMs = Math.max(furthestAheadMs, errorMs)
    },
    /**
     * An email goes out early where the clock of its process is ahead. So it does where such a process
     * had taken it before its time, and then died or put it back: the next one sees no scheduled email,
     * and no email that waits for its provider's report.
     */
    early(earlyMs: number, invocation: Invocation): boolean {
      if (furthestAheadMs < earlyMs - CLOCKS_APART_MS) return false
      count(
        invocation.isFarOff()
          ? "a clock was off by more than a second"
          : "a clock that was ahead had taken it",
      )
      return true
    },
  }
}
