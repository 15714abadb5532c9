interface Waiting<T, R> {
  item: T
  resolve(result: R): void
  reject(error: unknown): void
}

/**
 * Items that come within a millisecond of each other are worked on together. `work` answers a result
 * for each item, in their order.
 */
export function gather<T, R>(work: (items: T[]) => Promise<R[]>): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = []

  async function workOnAll() {
    await scheduler.wait(1)
    const members = waiting
    waiting = []
    try {
      const results = await work(members.map(({ item }) => item))
      members.forEach(({ resolve }, index) => {
        resolve(results[index] as R)
      })
    } catch (error) {
      for (const { reject } of members) reject(error)
    }
  }

  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (waiting.length === 1) workOnAll()
    })
}
