import type { ServerResponse } from "node:http"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Edgepost } from "../../src/client/index.ts"
import { type Answer, cut, hang, json, startServer } from "./server.ts"

afterEach(() => {
  vi.useRealTimers()
})

const CONNECTED = ": connected\n\n"
const change = (sequence: number) =>
  `id: ${sequence}\nevent: change\ndata: {"type":"email","id":"em_${sequence}"}\n\n`
const told = (sequence: number) => ({ type: "email", id: `em_${sequence}`, sequence })

/** Opens a stream, writes this, and leaves it open. */
const streaming =
  (...pieces: string[]): Answer =>
  async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const piece of pieces) {
      response.write(piece)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

/** The same, then the connection is lost. */
const thenCut =
  (...pieces: string[]): Answer =>
  async (response, asked) => {
    await streaming(...pieces)(response, asked)
    cut(response, asked)
  }

const refused = (status: number) => json(status, { error: { code: "forbidden", message: "No." } })

/** Waits for what the network does, whatever the timers say. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

describe("a stream", () => {
  it("is confirmed before the first read, and keeps the changes until they are read", async () => {
    const { asked, open } = await startServer(streaming(CONNECTED, change(1), change(2), change(3)))
    const stream = open().stream()
    await stream.connected
    await new Promise((resolve) => setTimeout(resolve, 50))
    const seen: unknown[] = []
    for await (const one of stream) if (seen.push(one) === 3) break
    expect(seen).toEqual([told(1), told(2), told(3)])
    expect(asked[0]).toMatchObject({ method: "GET", path: "/api/v1/stream" })
    expect(asked[0]?.headers).toMatchObject({
      accept: "text/event-stream",
      authorization: "Bearer svc_live_test",
    })
    expect(asked[0]?.headers).not.toHaveProperty("last-event-id")
  })

  it("reads frames that are cut anywhere, and skips pings", async () => {
    const frames = `${CONNECTED}: ping\n\n${change(1)}: ping\n\n${change(2)}`
    const { open } = await startServer(streaming(...frames.match(/.{1,7}/gs)!))
    const stream = open().stream()
    expect(await stream.next()).toEqual({ done: false, value: told(1) })
    expect(await stream.next()).toEqual({ done: false, value: told(2) })
    await stream.return()
  })

  it("reads data of several lines, and lines that end in CRLF", async () => {
    const lines = ["id: 1", "event: change", 'data: {"type":"email",', 'data: "id":"em_1"}']
    const { open } = await startServer(streaming(CONNECTED, `${lines.join("\r\n")}\r\n\r\n`))
    const stream = open().stream()
    expect(await stream.next()).toEqual({ done: false, value: told(1) })
    await stream.return()
  })

  it("gives each of several waiting readers one change", async () => {
    const { open } = await startServer(streaming(CONNECTED, change(1), change(2)))
    const stream = open().stream()
    const both = await Promise.all([stream.next(), stream.next()])
    expect(both.map(({ value }) => value)).toEqual([told(1), told(2)])
    await stream.return()
  })

  it("begins after the given sequence", async () => {
    const { asked, open } = await startServer(streaming(CONNECTED, change(5)))
    const stream = open().stream({ lastEventId: 4 })
    await stream.next()
    expect(asked[0]?.headers["last-event-id"]).toBe("4")
    await stream.return()
  })

  it("reconnects with the last sequence after a lost connection", async () => {
    const { asked, open } = await startServer(
      thenCut(CONNECTED, change(7)),
      streaming(CONNECTED, change(8)),
    )
    const stream = open().stream()
    expect((await stream.next()).value).toEqual(told(7))
    expect((await stream.next()).value).toEqual(told(8))
    expect(asked.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "7"])
    await stream.return()
  })

  it.each([
    ["41", undefined, "41"],
    ["0", undefined, "0"],
    ["41", 40, "40"],
    ["041", undefined, undefined],
    ["4.1", undefined, undefined],
    ["", undefined, undefined],
    ["9".repeat(20), undefined, undefined],
  ])("reconnects before its first change from the sequence %j of the answer", async (...given) => {
    const [sequence, lastEventId, expected] = given
    const { asked, open } = await startServer(
      (response, asked) => {
        response.setHeader("svc-stream-sequence", sequence)
        return thenCut(CONNECTED)(response, asked)
      },
      streaming(CONNECTED, change(42)),
    )
    const stream = open().stream(lastEventId === undefined ? {} : { lastEventId })
    expect((await stream.next()).value).toEqual(told(42))
    expect(asked[1]?.headers["last-event-id"]).toBe(expected)
    await stream.return()
  })

  it("reconnects from its last change, whatever sequence the answer has", async () => {
    const { asked, open } = await startServer(
      (response, asked) => {
        response.setHeader("svc-stream-sequence", "6")
        return thenCut(CONNECTED, change(7))(response, asked)
      },
      (response, asked) => {
        response.setHeader("svc-stream-sequence", "9")
        return thenCut(CONNECTED)(response, asked)
      },
      streaming(CONNECTED, change(8)),
    )
    const stream = open().stream()
    expect((await stream.next()).value).toEqual(told(7))
    expect((await stream.next()).value).toEqual(told(8))
    expect(asked.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "7", "7"])
    await stream.return()
  })

  it("does not follow a redirect with its key", async () => {
    const { asked, open } = await startServer(
      (response) => response.writeHead(302, { location: "/elsewhere" }).end(),
      streaming(CONNECTED, change(1)),
    )
    const stream = open().stream()
    expect((await stream.next()).value).toEqual(told(1))
    expect(asked.map(({ path }) => path)).toEqual(["/api/v1/stream", "/api/v1/stream"])
    await stream.return()
  })

  it("tells of a reset, and goes on from there", async () => {
    const reset = "id: 90\nevent: reset\ndata: {}\n\n"
    const { asked, open } = await startServer(
      thenCut(CONNECTED, reset),
      streaming(CONNECTED, change(91)),
    )
    const stream = open().stream({ lastEventId: 1 })
    expect((await stream.next()).value).toEqual({ type: "reset", sequence: 90 })
    expect((await stream.next()).value).toEqual(told(91))
    expect(asked[1]?.headers["last-event-id"]).toBe("90")
    await stream.return()
  })
})

describe("a refused key", () => {
  it.each([401, 403])("ends the stream: %i", async (status) => {
    const { asked, open } = await startServer(refused(status))
    const stream = open().stream()
    const error = { name: "EdgepostError", status, message: "No." }
    await expect(stream.connected).rejects.toMatchObject(error)
    await expect(stream.next()).rejects.toMatchObject(error)
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(asked).toHaveLength(1)
  })

  it("ends the stream at a reconnect, after the changes that were received", async () => {
    const { open } = await startServer(thenCut(CONNECTED, change(1)), refused(401))
    const stream = open().stream()
    await stream.connected
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect((await stream.next()).value).toEqual(told(1))
    await expect(stream.next()).rejects.toMatchObject({ status: 401 })
  })
})

describe("the end", () => {
  /** A server that keeps its streams open, and knows of those that were closed. */
  async function startOpen() {
    const closed: ServerResponse[] = []
    const started = await startServer((response, asked) => {
      response.on("close", () => closed.push(response))
      streaming(CONNECTED)(response, asked)
    })
    return { ...started, closed }
  }

  it("comes with return(), even for a waiting next(), and closes the connection", async () => {
    const { asked, closed, open } = await startOpen()
    const stream = open().stream()
    await stream.connected
    const waiting = [stream.next(), stream.next()]
    expect(await stream.return()).toEqual({ done: true, value: undefined })
    expect(await Promise.all(waiting)).toEqual(Array(2).fill({ done: true, value: undefined }))
    await until(() => closed.length === 1)
    expect(asked).toHaveLength(1)
  })

  it("comes with the signal, and closes the connection", async () => {
    const { closed, open } = await startOpen()
    const controller = new AbortController()
    const stream = open().stream({ signal: controller.signal })
    await stream.connected
    setTimeout(() => controller.abort(), 10)
    const seen: unknown[] = []
    for await (const one of stream) seen.push(one)
    expect(seen).toEqual([])
    await until(() => closed.length === 1)
  })

  it("comes at once if the signal has already aborted or the stream is not confirmed", async () => {
    const reason = new Error("enough")
    const { asked, open } = await startServer(hang)
    const early = open().stream({ signal: AbortSignal.abort(reason) })
    await expect(early.connected).rejects.toBe(reason)
    expect(await early.next()).toEqual({ done: true, value: undefined })
    expect(asked).toHaveLength(0)
    const late = open().stream()
    await late.return()
    await expect(late.connected).rejects.toMatchObject({ name: "AbortError" })
  })
})

describe("a lost connection", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  /** A stream over a network that fails in these ways, one after the other, and when it was opened. */
  function openOver(...answers: (() => Response)[]) {
    const begin = Date.now()
    const opened: { at: number; last: string | null }[] = []
    const fetch = async (_input: unknown, init?: RequestInit) => {
      const last = new Headers(init?.headers).get("last-event-id")
      const answer =
        answers[Math.min(opened.push({ at: Date.now() - begin, last }), answers.length) - 1]
      return answer!()
    }
    const client = new Edgepost({ apiKey: "svc_live_test", baseUrl: "https://mail.test", fetch })
    return { stream: client.stream(), opened }
  }

  const broken = () => {
    throw new TypeError("fetch failed")
  }
  const answering = (status: number) => () => new Response("No.", { status })
  const ending = () => new Response(CONNECTED)
  /** A body that stays open, whatever becomes of the signal. */
  const staying = (...later: [number, string][]) => {
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const [ms, text] of [[0, CONNECTED] as const, ...later]) {
          const write = () => cancelled || controller.enqueue(new TextEncoder().encode(text))
          setTimeout(write, ms)
        }
      },
      cancel() {
        cancelled = true
      },
    })
    return { answer: () => new Response(body), isCancelled: () => cancelled }
  }

  it("is opened again after 500 ms, doubling to 30 s, and 500 ms after a confirmation", async () => {
    const failing = [broken, answering(503), answering(429), broken, answering(404), broken]
    const { stream, opened } = openOver(...failing, broken, broken, ending, broken)
    await vi.advanceTimersByTimeAsync(94_000)
    await stream.return()
    const waits = opened.map(({ at }, index) => at - (opened[index - 1]?.at ?? 0))
    expect(waits).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 500, 1_000])
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it("is one with an event that never ends", async () => {
    const line = "data: x\n".repeat(100)
    const { answer, isCancelled } = staying(
      ...Array.from({ length: 30 }, (_, index) => [index * 1_000, line] as [number, string]),
    )
    const { stream, opened } = openOver(answer, broken)
    await vi.advanceTimersByTimeAsync(19_900)
    expect([opened.length, isCancelled()]).toEqual([1, false])
    await vi.advanceTimersByTimeAsync(700)
    expect([opened.length, isCancelled()]).toEqual([2, true])
    await stream.return()
  })

  it("is one that is silent for 60 s", async () => {
    const silent = staying([59_000, change(1)])
    const { stream, opened } = openOver(silent.answer, staying().answer)
    await vi.advanceTimersByTimeAsync(59_000)
    expect((await stream.next()).value).toEqual(told(1))
    await vi.advanceTimersByTimeAsync(59_999)
    expect([opened.length, silent.isCancelled()]).toEqual([1, false])
    await vi.advanceTimersByTimeAsync(501)
    expect(silent.isCancelled()).toBe(true)
    expect(opened).toEqual([
      { at: 0, last: null },
      { at: 119_500, last: "1" },
    ])
    await stream.return()
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})
