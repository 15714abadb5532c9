import { VERSION } from "../lib/version.ts"
import type { Change, Reset } from "./changes.ts"
import type { Config } from "./config.ts"
import { toError } from "./error.ts"

/** The server writes every 25 seconds. */
const SILENCE_MS = 60_000

export interface Listener {
  /** The server tells the sequence of the last change before this connection. */
  opened(sequence: number): void
  confirmed(): void
  received(event: Change | Reset): void
}

export interface Asked {
  lastEventId: number | string | undefined
  include: "received" | undefined
}

/**
 * Reads one connection until it ends, is silent for too long, or the signal aborts. Rejects with an
 * `EdgepostError` if the key is refused.
 */
export async function connect(
  config: Config,
  { lastEventId, include }: Asked,
  signal: AbortSignal,
  listener: Listener,
): Promise<void> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  let timer = setTimeout(stop, SILENCE_MS)
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(stop, SILENCE_MS)
  }
  signal.addEventListener("abort", stop)
  try {
    const headers = toHeaders(config, lastEventId)
    const response = await config.fetch(
      `${config.apiUrl}/stream${include ? `?include=${include}` : ""}`,
      {
        headers,
        signal: controller.signal,
        redirect: "manual",
      },
    )
    if (response.status === 401 || response.status === 403) {
      throw toError(response, await response.json().catch(() => undefined))
    }
    if (!response.ok || !response.body) return
    const sequence = readSequence(response.headers)
    if (sequence !== null) listener.opened(sequence)
    await read(response.body, controller.signal, (frames) => {
      heard()
      for (const frame of frames) {
        if (frame.kind === "connected") listener.confirmed()
        else listener.received(frame.event)
      }
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", stop)
    stop()
  }
}

function toHeaders({ apiKey }: Config, lastEventId: number | string | undefined) {
  return {
    authorization: `Bearer ${apiKey}`,
    accept: "text/event-stream",
    "user-agent": `edgepost/${VERSION}`,
    ...(lastEventId !== undefined && { "last-event-id": String(lastEventId) }),
  }
}

function readSequence(headers: Headers): number | null {
  const text = headers.get("svc-stream-sequence") ?? ""
  const sequence = Number(text)
  return String(sequence) === text && Number.isSafeInteger(sequence) && sequence >= 0
    ? sequence
    : null
}

async function read(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  hear: (frames: Frame[]) => void,
): Promise<void> {
  const frames = createFrameReader()
  const reader = body.getReader()
  // A custom `fetch` may go on with the body after the signal has aborted.
  const cancel = () => void reader.cancel().catch(() => {})
  if (signal.aborted) cancel()
  signal.addEventListener("abort", cancel, { once: true })
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    hear(frames.read(piece.value))
  }
}

/** A hundred times what a change takes. A server that never ends an event would fill the memory. */
const MAX_FRAME_CHARACTERS = 16 * 1024

type Frame = { kind: "connected" } | { kind: "event"; event: Change | Reset }

/** Reads server-sent events (HTML standard, section 9.2) from the pieces of a body. */
function createFrameReader() {
  const decoder = new TextDecoder()
  let rest = ""
  return {
    read(bytes: Uint8Array): Frame[] {
      const frames = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n\r?\n/)
      rest = frames.pop() ?? ""
      if (rest.length > MAX_FRAME_CHARACTERS) throw new Error("An event of the stream never ends.")
      return frames.flatMap((text) => toFrame(text) ?? [])
    },
  }
}

function toFrame(text: string): Frame | null {
  if (text === ": connected") return { kind: "connected" }
  const fields = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const [, name = "", value = ""] = /^(\w*): ?(.*)$/.exec(line) ?? []
    const before = name === "data" ? fields.get(name) : undefined
    fields.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  const sequence = Number(fields.get("id"))
  if (fields.get("event") === "reset") return { kind: "event", event: { type: "reset", sequence } }
  if (fields.get("event") !== "change") return null
  return { kind: "event", event: { ...JSON.parse(fields.get("data") ?? ""), sequence } }
}
