import { wait } from "./backoff.ts"
import type { Change, Reset } from "./changes.ts"
import type { Config } from "./config.ts"
import { EdgepostError } from "./error.ts"
import { type Asked, connect, type Listener } from "./stream-connection.ts"

export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal
  /** The sequence of the last change that you have. The stream begins with the changes after it. */
  lastEventId?: number | string
  /** `received`: also changes of received mail. */
  include?: "received"
  /** Called with true at each confirmation, and with false when the connection is lost. */
  onConnection?: (connected: boolean) => void
}

export interface ChangeStream extends AsyncIterableIterator<Change | Reset> {
  /**
   * Resolves when the server confirms the connection. The stream has every change that is made after
   * this. Rejects if the key is refused, or if the stream is closed before.
   */
  readonly connected: Promise<void>
  /** Ends the stream, even while a `next()` waits. */
  return(): Promise<IteratorResult<Change | Reset, void>>
}

const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 30_000

/** The team's changes. Reconnects by itself, and then gets the changes it has missed. */
export function openStream(
  config: Config,
  { signal, lastEventId, include, onConnection = () => {} }: StreamOptions,
): ChangeStream {
  const closing = new AbortController()
  const inbox = createInbox<Change | Reset>()
  const connected = createPromise<void>()
  // A caller who only iterates gets the error from `next()`.
  connected.promise.catch(() => {})
  const close = () => {
    closing.abort(signal?.reason)
    signal?.removeEventListener("abort", close)
    inbox.end()
  }
  signal?.addEventListener("abort", close)
  if (signal?.aborted) close()
  const events = {
    confirmed() {
      connected.resolve()
      onConnection(true)
    },
    lost: () => onConnection(false),
    received: inbox.put,
  }
  follow(config, { lastEventId, include }, closing.signal, events).catch((error) => {
    connected.reject(error)
    inbox.fail(error)
    signal?.removeEventListener("abort", close)
  })
  return {
    connected: connected.promise,
    next: inbox.take,
    async return() {
      close()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Connects again and again, until the signal aborts or the key is refused. */
async function follow(
  config: Config,
  { lastEventId, include }: Asked,
  signal: AbortSignal,
  { confirmed, lost, received }: Omit<Listener, "opened"> & { lost(): void },
): Promise<never> {
  let last = lastEventId
  let delayMs = FIRST_DELAY_MS
  for (;;) {
    signal.throwIfAborted()
    try {
      await connect(config, { lastEventId: last, include }, signal, {
        opened(sequence) {
          last ??= sequence
        },
        confirmed() {
          delayMs = FIRST_DELAY_MS
          confirmed()
        },
        received(event) {
          last = event.sequence
          received(event)
        },
      })
    } catch (error) {
      if (error instanceof EdgepostError) throw error
    }
    lost()
    await wait(delayMs, signal)
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)
  }
}

/** Keeps received items until they are taken. Callers wait for the next item. */
function createInbox<T>() {
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

interface OpenPromise<T> {
  promise: Promise<T>
  resolve(value: T | PromiseLike<T>): void
  reject(error: unknown): void
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function createPromise<T>(): OpenPromise<T> {
  let resolve!: OpenPromise<T>["resolve"]
  let reject!: OpenPromise<T>["reject"]
  const promise = new Promise<T>((...both) => {
    ;[resolve, reject] = both
  })
  return { promise, resolve, reject }
}
