import { openPromise } from "./open-promise.ts"

/** What was received and not taken yet, and who waits for more. */
export function openInbox<T>() {
  type Result = IteratorResult<T, void>
  const received: T[] = []
  const waiting: ReturnType<typeof openPromise<Result>>[] = []
  let end: { error?: unknown } | undefined

  function finish(reason: { error?: unknown }): void {
    end ??= reason
    for (const one of waiting.splice(0)) one.resolve(last())
  }

  /** The error is told once; after it, and without one, the end is. */
  async function last(): Promise<Result> {
    const error = end?.error
    end = {}
    if (error !== undefined) throw error
    return { done: true, value: undefined }
  }

  return {
    put(event: T): void {
      const first = waiting.shift()
      if (first) first.resolve({ done: false, value: event })
      else if (!end) received.push(event)
    },
    async take(): Promise<Result> {
      if (received.length > 0) return { done: false, value: received.shift() as T }
      if (end) return last()
      const one = openPromise<Result>()
      waiting.push(one)
      return one.promise
    },
    end(): void {
      received.length = 0
      finish({})
    },
    fail: (error: unknown) => finish({ error }),
  }
}
