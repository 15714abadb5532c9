import { vi } from "vitest"
import type { makeClock } from "../support/work.ts"
import { currentInvocation } from "./invocation.ts"

/** The waits of the code are real: they take this part of their time. */
const TIMERS_FASTER = 50

/** Every process reads the world's clock, and is wrong by what its own is off. */
export function fakeTime(clock: ReturnType<typeof makeClock>) {
  const { setTimeout: realTimeout } = globalThis
  const realWait = (ms: number) =>
    new Promise<void>((resolve) => realTimeout(resolve, ms / TIMERS_FASTER))
  const time = vi
    .spyOn(Date, "now")
    .mockImplementation(() => Math.round(clock.now() + (currentInvocation()?.clockAheadMs() ?? 0)))
  const timers = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((work: () => void, ms = 0) =>
      realTimeout(work, ms / TIMERS_FASTER)) as unknown as typeof setTimeout)
  const waits = vi
    .spyOn(scheduler, "wait")
    .mockImplementation((ms) => currentInvocation()?.wait(ms) ?? realWait(ms))

  return {
    realWait,
    /** A millisecond, in which others go on. */
    moment: () => realWait(TIMERS_FASTER),
    restore() {
      time.mockRestore()
      timers.mockRestore()
      waits.mockRestore()
    },
  }
}
