import { exports } from "cloudflare:workers"
import { newId } from "../../src/lib/id.ts"
import type { Work } from "../../src/worker/platform/context.ts"
import { commit, withDeferred } from "../../src/worker/platform/db/commit.ts"
import { type Change, keepChanges, newPublication } from "../../src/worker/stream/outbox.ts"
import { BASE_URL } from "./api.ts"

export interface Frame {
  id?: string
  event?: string
  data?: string
  comment?: string
}

/** A reader of the live stream, over HTTP. */
export interface StreamReader {
  response: Response
  /** The next frame, as soon as it is there. */
  next(): Promise<Frame>
  close(): Promise<void>
}

export const openStream = (key: string, lastEventId?: string): Promise<Response> =>
  exports.default.fetch(
    new Request(`${BASE_URL}/api/v1/stream`, {
      headers: {
        authorization: `Bearer ${key}`,
        ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
      },
    }),
  )

/** The stream as the dashboard opens it. */
export const readDashboardStream = async (cookie: string): Promise<StreamReader> =>
  readFrames(
    await exports.default.fetch(
      new Request(`${BASE_URL}/dashboard/api/stream`, { headers: { cookie } }),
    ),
  )

export const readStream = async (key: string, lastEventId?: string): Promise<StreamReader> =>
  readFrames(await openStream(key, lastEventId))

export function readFrames(response: Response): StreamReader {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let rest = ""
  let frames: Iterator<string> = [].values()
  return {
    response,
    async next() {
      for (;;) {
        const { value: frame } = frames.next()
        if (frame !== undefined) return parseFrame(frame)
        const { done, value } = await reader.read()
        if (done) throw new Error("The stream has ended")
        const complete = (rest + decoder.decode(value, { stream: true })).split("\n\n")
        rest = complete.pop() as string
        frames = complete.values()
      }
    },
    close: () => reader.cancel(),
  }
}

function parseFrame(text: string): Frame {
  const frame: Record<string, string> = {}
  for (const line of text.split("\n")) {
    const colon = line.indexOf(": ")
    frame[line.slice(0, colon) || "comment"] = line.slice(colon + 2)
  }
  return frame
}

/** As a batch that makes these changes keeps and tells them. */
/** Waits for the publication too, which a consumer does not. */
export async function publishChanges(work: Work, changes: readonly Change[]): Promise<void> {
  const detached: Promise<unknown>[] = []
  const waiting = { ...work, detach: (step: Promise<unknown>) => void detached.push(step) }
  await withDeferred(waiting, (work) =>
    commit(work, { changes: keepChanges(work, changes, newPublication(work)) }),
  )
  await Promise.all(detached)
}

export const changesOf = (teamId: string, count: number): Change[] =>
  Array.from({ length: count }, () => ({ teamId, type: "email", id: newId("email") }))

export const toFrames = (changes: readonly Change[], after = 0) =>
  changes.map(({ type, id }, index) => ({
    id: String(after + index + 1),
    event: "change",
    data: JSON.stringify({ type, id }),
  }))
