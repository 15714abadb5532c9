import type { Ask } from "../provider.ts"
import type { World } from "../world.ts"

const WINDOW_MS = 2_000
/** Clocks are a second apart, and a lane takes slots for up to a second ahead. */
const TOLERATED_MS = 2_000
/** So long after the death of the object, slots that it gave before may still be used. */
const AHEAD_MS = 5_000

/**
 * The provider is asked no more often than the rate allows. A process that waited for an answer may come to
 * its slots late, and where the object that shares out the rate did not answer, each database goes on
 * with its own share: what these ask is counted as excused. An object that starts again has an empty
 * line of slots: then twice as many may go out.
 */
export function checkRate(world: World): string[] {
  const { provider, sendRate, rateEvictions, hasFarClocks, excuses } = world
  // A clock that is off by an hour has slots of another hour.
  if (!provider || sendRate === null || hasFarClocks) return []
  const asks = provider.asks.toSorted((a, b) => a.at - b.at)
  const allowed = (sendRate * (WINDOW_MS + TOLERATED_MS)) / 1_000
  const wrongs: string[] = []
  for (let first = 0, last = 0; last < asks.length; last++) {
    while (at(asks, first) <= at(asks, last) - WINDOW_MS) first++
    const window = asks.slice(first, last + 1)
    if (window.length <= allowed) continue
    const counted = window.filter((ask) => !mayBeLate(ask)).length
    const hasNewLine = rateEvictions.some(
      (diedAt) => diedAt > at(asks, first) - AHEAD_MS && diedAt < at(asks, last),
    )
    if (counted > (hasNewLine ? 2 * allowed : allowed)) {
      wrongs.push(
        `${window.length} were handed over within ${WINDOW_MS / 1_000} s, rate ${sendRate}`,
      )
    } else if (counted > allowed) excuses.count("the object that shares out the rate had died")
    else excuses.count("a process was late for its slots")
    first = last + 1
  }
  return wrongs
}

const mayBeLate = ({ invocation }: Ask): boolean =>
  invocation
    .faults()
    .some(({ what, fault }) => fault === "answers late" || what.startsWith("rates "))

const at = (asks: readonly Ask[], index: number): number => asks[index]?.at ?? 0
