import { wait } from "./backoff.ts"
import type { Config } from "./config.ts"
import { createPromise } from "./create-promise.ts"
import { EdgepostError } from "./error.ts"
import { type Asked, connect, type Listener } from "./stream-connection.ts"
import { createInbox } from "./stream-inbox.ts"

/** An object has changed. Read the object to see its new state. */
export interface Change {
  type: "email" | "webhook" | "received"
  id: string
  /** The number of the change in the team's stream. Pass it as `lastEventId` to go on from here. */
  sequence: number
}

/** Changes were missed and are no longer stored. Read all objects that you show again. */
export interface Reset {
  type: "reset"
  sequence: number
}

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
