/**
 * Aborts the signal of `work` if it takes longer. The timer ends with the work: those of `AbortSignal.timeout` and
 * `scheduler.wait` stay until their time, and workerd allows 10,000 of an object or an invocation.
 */
export async function withSignal<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const error = new DOMException(`No answer within ${ms} ms`, "TimeoutError")
  const timer = setTimeout(() => controller.abort(error), ms)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Whether the work ends in time. Work that takes longer goes on, and its result is ignored. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
}

/** Fails if no answer comes in time. The next try may succeed, which `retryable` says. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  if (await endsWithin(ms, answer)) return answer
  throw Object.assign(new Error(`No answer within ${ms} ms`), { retryable: true })
}
