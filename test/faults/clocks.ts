import type { Draw } from "./chance.ts"

/** Two clocks are at most twice this apart: the service promises to bear a second. */
const NEAR_MS = 500
/** What counts as a clock that is off. */
export const CLOCKS_APART_MS = 2 * NEAR_MS

const FAR_CLOCKS = 0.2
const SHORTEST_MS = 2_000
const LONGEST_MS = 3_600_000
/** A clock that jumps does so within its first calls. */
const JUMPS_WITHIN_CALLS = 6

/** How far the clock of a process is from the world's, by the number of its calls. */
export type ClockError = (calls: number) => number

/** With `areFar`, some clocks are up to an hour ahead or behind, and half of these get there by a jump. */
export function clockOf(draw: Draw, process: number, areFar: boolean): ClockError {
  const drawn = (what: string) => draw(`${what} ${process}`)
  const nearMs = Math.round((drawn("clock") * 2 - 1) * NEAR_MS)
  if (!areFar || drawn("far clock") >= FAR_CLOCKS) return () => nearMs
  const sign = drawn("sign of the clock") < 0.5 ? -1 : 1
  const farMs = sign * Math.round(SHORTEST_MS * (LONGEST_MS / SHORTEST_MS) ** drawn("clock is off"))
  if (drawn("clock jumps") < 0.5) return () => farMs
  const jumpsAt = 1 + Math.floor(drawn("clock jumps at") * JUMPS_WITHIN_CALLS)
  return (calls) => (calls < jumpsAt ? nearMs : farMs)
}
