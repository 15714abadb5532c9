import { logError } from "../../lib/log.ts"
import { HOUR_MS } from "../../lib/time.ts"
import { within } from "../../lib/within.ts"
import { PING_SECONDS } from "./contract.ts"
import type { Publication } from "./history.ts"
import { CONFIRMED_CHANGES, PING, PONG } from "./team-stream.ts"

const MAX_AGE_MS = HOUR_MS
/** Bytes that may wait for a reader before it counts as stalled. */
const BUFFERED_BYTES = 16 * 1024
/** A session that is over loses its streams within 15 seconds. */
const SESSION_CHECK_MS = 10_000

const encoder = new TextEncoder()

const CONNECTED = encoder.encode(": connected\n\n")
const PING_FRAME = encoder.encode(": ping\n\n")

interface Start {
  /** The sequence after which the socket tells changes. */
  position: number
  /** The position that the reader asked for is not stored. */
  isReset: boolean
  /** Absent with a key. */
  isSessionOver: (() => Promise<boolean>) | undefined
  includesReceived: boolean
}

/**
 * The events of one reader, from a socket of the team's object. The object sleeps between publications,
 * so the Worker has the timers: a Worker that waits costs nothing.
 */
export function readEvents(socket: WebSocket, start: Start) {
  const { position, isReset, isSessionOver } = start
  const since = Date.now()
  let last = position
  let confirmed = position
  let enqueuedBytes = 0
  let takenAtPing = -1
  let isAnswered = true
  const timers: ReturnType<typeof setInterval>[] = []
  let controller: ReadableStreamDefaultController<Uint8Array>

  const hasRoom = () => (controller.desiredSize ?? 0) > 0
  const takenBytes = () => enqueuedBytes - BUFFERED_BYTES + (controller.desiredSize ?? 0)
  const enqueue = (bytes: Uint8Array) => {
    enqueuedBytes += bytes.length
    controller.enqueue(bytes)
  }

  /** The object sends more as the reader takes it. */
  const confirm = () => {
    if (last - confirmed < CONFIRMED_CHANGES) return
    confirmed = last
    socket.send(String(last))
  }

  const close = () => {
    for (const timer of timers.splice(0)) clearInterval(timer)
    socket.close()
  }

  /** What waits for a stalled reader is dropped: it resumes by its number. */
  const end = () => {
    if (timers.length === 0) return
    close()
    if (hasRoom()) controller.close()
    else controller.error(new Error("The reader is too slow"))
  }

  const receive = ({ data }: MessageEvent) => {
    if (data === PONG) {
      isAnswered = true
    } else {
      const publication: Publication = JSON.parse(data)
      last = publication.last
      const frames = changeFrames(publication, start)
      if (frames.length > 0) enqueue(frames)
      else if (hasRoom()) confirm()
    }
  }

  /** A socket can be dead on one side only: without an answer, changes could be missed. */
  const ping = () => {
    const takesNothing = !hasRoom() && takenBytes() === takenAtPing
    if (takesNothing || !isAnswered || Date.now() - since >= MAX_AGE_MS) return end()
    takenAtPing = takenBytes()
    isAnswered = false
    socket.send(PING)
    if (hasRoom()) enqueue(PING_FRAME)
  }

  /** The stream goes on while the database does not answer. */
  const checkSession = async (isOver: () => Promise<boolean>) => {
    try {
      if (await within(SESSION_CHECK_MS, isOver())) end()
    } catch (error) {
      logError(error, { stream: true })
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own
        enqueue(CONNECTED)
        if (isReset) enqueue(resetFrame(position))
        socket.addEventListener("message", receive)
        socket.addEventListener("close", end)
        socket.addEventListener("error", end)
        timers.push(setInterval(ping, PING_SECONDS * 1000))
        if (isSessionOver) {
          timers.push(setInterval(() => checkSession(isSessionOver), SESSION_CHECK_MS))
        }
        socket.accept()
      },
      pull: confirm,
      cancel: close,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES }),
  )
}

const resetFrame = (sequence: number) =>
  encoder.encode(`id: ${sequence}\nevent: reset\ndata: {}\n\n`)

/** Readers that know nothing of received mail hear nothing of it. */
function changeFrames(
  { last, changes }: Publication,
  { includesReceived }: { includesReceived: boolean },
): Uint8Array {
  const before = last - changes.length
  const frames = changes.map(({ type, id }, index) =>
    type === "received" && !includesReceived
      ? ""
      : `id: ${before + index + 1}\nevent: change\ndata: ${JSON.stringify({ type, id })}\n\n`,
  )
  return encoder.encode(frames.join(""))
}
