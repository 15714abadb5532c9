import { createPromise } from "./create-promise.ts"

/** Keeps received items until they are taken. Callers wait for the next item. */
export function createInbox<T>() {
  type Result = IteratorResult<T, void>
  const received: T[] = []
  const waiting: ReturnType<typeof createPromise<Result>>[] = []
  let end: { error?: unknown } | undefined

  function finish(reason: { error?: unknown }): void {
    end ??= reason
    for (const one of waiting.splice(0)) one.resolve(last())
  }

  /** Throws the error once, and answers the end from then on. */
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
      const one = createPromise<Result>()
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
