import type { Config } from "./config.ts"
import { EdgepostError } from "./error.ts"
import { toError } from "./request.ts"
import { wait } from "./retry.ts"
import { openFrames } from "./stream-frames.ts"
import { VERSION } from "./version.ts"

/** The object changed: fetch it to see how. */
export interface Change {
  type: "email" | "webhook"
  id: string
  /** The number of the change in the team's stream; give it as `lastEventId` to go on from here. */
  sequence: number
}

/** Changes were missed that are no longer kept: fetch anew whatever you show. */
export interface Reset {
  type: "reset"
  sequence: number
}

export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal
  /** The sequence of the last change that is known: the stream begins with what was missed since. */
  lastEventId?: number | string
}

export interface ChangeStream extends AsyncIterableIterator<Change | Reset, void, undefined> {
  /** Settles with the first confirmation: every change made after it is told. */
  readonly connected: Promise<void>
  /** Ends the stream, also while a `next()` waits. */
  return(): Promise<IteratorResult<Change | Reset, void>>
}

const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 30_000
/** The server writes every 25 seconds. */
const SILENCE_MS = 60_000

/** The team's changes. A lost connection is opened again, with what was missed in between. */
export function openStream(config: Config, { signal, lastEventId }: StreamOptions): ChangeStream {
  const controller = new AbortController()
  const inbox = openInbox()
  const connected = openPromise<void>()
  // A caller who only iterates learns of the failure there.
  connected.promise.catch(() => {})
  const close = () => {
    controller.abort(signal?.reason)
    signal?.removeEventListener("abort", close)
    inbox.end()
  }
  signal?.addEventListener("abort", close, { once: true })
  const state: Position = { last: lastEventId, delayMs: FIRST_DELAY_MS }
  if (signal?.aborted) close()
  follow(config, state, controller.signal, {
    confirmed: connected.resolve,
    received: inbox.put,
  }).catch((error) => {
    connected.reject(error)
    if (!controller.signal.aborted) inbox.fail(error)
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

interface Position {
  /** The sequence of the last change that was received. */
  last: number | string | undefined
  delayMs: number
}

interface Listener {
  confirmed(): void
  received(event: Change | Reset): void
}

/** Connects again and again, until the signal aborts or the key is refused. */
async function follow(
  config: Config,
  position: Position,
  signal: AbortSignal,
  listener: Listener,
): Promise<never> {
  for (;;) {
    try {
      await connect(config, position, signal, listener)
    } catch (error) {
      if (error instanceof EdgepostError) throw error
    }
    await wait(position.delayMs, signal)
    position.delayMs = Math.min(position.delayMs * 2, MAX_DELAY_MS)
  }
}

/** One connection, until it ends or is silent for too long. */
async function connect(
  config: Config,
  position: Position,
  signal: AbortSignal,
  listener: Listener,
): Promise<void> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MS)
  }
  heard()
  try {
    const response = await config.fetch(`${config.apiUrl}/stream`, {
      headers: {
        authorization: `Bearer ${config.apiKey}`,
        accept: "text/event-stream",
        "user-agent": `edgepost/${VERSION}`,
        ...(position.last !== undefined && { "last-event-id": String(position.last) }),
      },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (response.status === 401 || response.status === 403) {
      throw toError(response, await response.json().catch(() => undefined))
    }
    if (!response.ok || !response.body) return void (await response.body?.cancel())
    const frames = openFrames()
    const reader = response.body.getReader()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      heard()
      for (const frame of frames.read(piece.value)) {
        if (frame.kind === "connected") {
          position.delayMs = FIRST_DELAY_MS
          listener.confirmed()
        } else {
          position.last = frame.event.sequence
          listener.received(frame.event)
        }
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

type Result = IteratorResult<Change | Reset, void>

/** What was received and not taken yet, and who waits for more. */
function openInbox() {
  const received: (Change | Reset)[] = []
  const waiting: OpenPromise<Result>[] = []
  let end: { error?: unknown } | undefined
  const finish = (reason: { error?: unknown }) => {
    end ??= reason
    for (const one of waiting.splice(0)) one.resolve(last())
  }
  const last = (): Result | Promise<Result> => {
    const error = end?.error
    if (end) end.error = undefined
    return error === undefined ? { done: true, value: undefined } : Promise.reject(error)
  }
  return {
    put(event: Change | Reset) {
      const first = waiting.shift()
      if (first) first.resolve({ done: false, value: event })
      else received.push(event)
    },
    async take(): Promise<Result> {
      const event = received.shift()
      if (event) return { done: false, value: event }
      if (end) return last()
      const one = openPromise<Result>()
      waiting.push(one)
      return one.promise
    },
    end() {
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
function openPromise<T>(): OpenPromise<T> {
  let resolve!: OpenPromise<T>["resolve"]
  let reject!: OpenPromise<T>["reject"]
  const promise = new Promise<T>((...both) => {
    ;[resolve, reject] = both
  })
  return { promise, resolve, reject }
}
