import type { Clock } from "../support/work.ts"
import type { Draw } from "./chance.ts"

/** Longer than a lease. */
const LATE_MS = 50_000

interface Around {
  clock: Clock
  draw: Draw
  log: readonly string[]
}

/** Processes whose calls answer so late that the world goes on beside them. */
export function createLate({ clock, draw, log }: Around) {
  const late: { at: number; resume(): void; work: Promise<void> }[] = []
  return {
    /** Ends with the work, or once it waits long: then it goes on beside what follows. */
    attend(start: (waitLong: () => Promise<void>) => Promise<void>): Promise<void> {
      const waits = Promise.withResolvers<void>()
      const work: Promise<void> = start(() => {
        const { promise, resolve } = Promise.withResolvers<void>()
        const at = clock.now() + LATE_MS * (1 + draw(`late ${log.length}`))
        late.push({ at, resume: resolve, work })
        waits.resolve()
        return promise
      })
      return Promise.race([work, waits.promise])
    },

    async resume(until: number): Promise<void> {
      for (const one of late.filter(({ at }) => at <= until)) {
        late.splice(late.indexOf(one), 1)
        one.resume()
        await one.work
      }
    },
  }
}
