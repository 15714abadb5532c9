export type Action = () => Promise<unknown>

interface Surroundings {
  now(): number
  /** A moment of real time. */
  moment(): Promise<void>
}

/** What key holders do, several at a time. Each may wait while the world goes on. */
export function createActions({ now, moment }: Surroundings) {
  const running = new Set<Promise<unknown>>()
  const failures: unknown[] = []
  let sleepers: { at: number; wake(): void }[] = []

  async function untilAllWait(): Promise<void> {
    while (running.size > sleepers.length) await moment()
    if (failures.length > 0) throw failures[0]
  }

  return {
    /** Ends with the action, or once it waits. */
    start(action: Action): Promise<void> {
      const work = action()
        .catch((error) => failures.push(error))
        .finally(() => running.delete(work))
      running.add(work)
      return untilAllWait()
    },
    sleep(ms: number): Promise<void> {
      const { promise, resolve: wake } = Promise.withResolvers<void>()
      sleepers.push({ at: now() + ms, wake })
      return promise
    },
    wake(): Promise<void> {
      const due = sleepers.filter(({ at }) => at <= now())
      sleepers = sleepers.filter((one) => !due.includes(one))
      for (const { wake } of due) wake()
      return untilAllWait()
    },
    areWaiting: () => sleepers.length > 0,
    nextAt: () => Math.min(...sleepers.map(({ at }) => at)),
  }
}
