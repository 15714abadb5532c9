import { type Frame, readStream } from "../support/stream.ts"

const { setTimeout: realTimeout } = globalThis
/** Without a pause, readers that are refused would leave no time to all others. */
const pause = () => new Promise((resolve) => realTimeout(resolve, 50))

export type Reader = Awaited<ReturnType<typeof openReader>>

/** Reads the stream as long as its key is valid. When it breaks off, the reader comes again with its last position. */
export async function openReader(key: string) {
  const frames: Frame[] = []
  let position = "0"
  let isClosed = false
  let reconnects = 0
  let stream = await readStream(key)

  async function readOn(): Promise<void> {
    while (!isClosed) {
      try {
        const frame = await stream.next()
        if (frame.comment) continue
        frames.push(frame)
        position = frame.id ?? position
      } catch {
        if (isClosed) return
        reconnects++
        await pause()
        stream = await readStream(key, position)
        // The team was deleted.
        if (stream.response.status === 401) return
      }
    }
  }
  const reading = readOn()

  return {
    frames: frames as readonly Frame[],
    reconnects: () => reconnects,
    async close(): Promise<void> {
      isClosed = true
      await stream.close()
      await reading
    },
  }
}
