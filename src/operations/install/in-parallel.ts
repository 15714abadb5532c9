const AT_ONCE = 8

/**
 * Works on all items, some at a time. Each has its turn, whatever another one does; then the first
 * failure is thrown.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: PromiseSettledResult<R>[] = []
  const waiting = items.entries()
  const workOn = async () => {
    for (const [index, item] of waiting) {
      ;[results[index]] = (await Promise.allSettled([work(item)])) as [PromiseSettledResult<R>]
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, workOn))
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason
    return result.value
  })
}
