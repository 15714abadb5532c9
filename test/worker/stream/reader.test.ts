import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { PING_SECONDS } from "../../../src/worker/stream/contract.ts"
import type { Publication } from "../../../src/worker/stream/history.ts"
import { readEvents } from "../../../src/worker/stream/reader.ts"
import { PONG } from "../../../src/worker/stream/team-stream.ts"
import { eventually } from "../../support/eventually.ts"
import { readFrames, type StreamReader } from "../../support/stream.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A reader, and the other end of its socket in place of the team's object. */
function open({ isSessionOver }: { isSessionOver?: () => Promise<boolean> } = {}) {
  const { 0: socket, 1: object } = new WebSocketPair()
  const received: string[] = []
  let last = 0
  let isClosed = false
  object.accept()
  object.addEventListener("message", ({ data }) => received.push(data))
  object.addEventListener("close", () => {
    isClosed = true
  })
  const events = readEvents(socket, {
    position: 0,
    isReset: false,
    isSessionOver,
    includesReceived: false,
  })
  const publish = (count: number) => {
    last += count
    const changes = Array.from({ length: count }, (_, index) => ({
      type: "email" as const,
      id: `em_${last - count + index + 1}`.padEnd(29, "0"),
    }))
    object.send(JSON.stringify({ last, changes } satisfies Publication))
  }
  return {
    reader: readFrames(new Response(events)),
    received,
    isClosed: () => isClosed,
    publish,
    /** A change comes after what the object has sent before. */
    async pong(reader: StreamReader) {
      object.send(PONG)
      publish(1)
      expect(await reader.next()).toMatchObject({ id: String(last) })
    },
  }
}

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000)

it("gets a ping every 25 seconds", async () => {
  const { reader, pong } = open()
  expect(await reader.next()).toEqual({ comment: "connected" })
  for (const _ of [1, 2, 3]) {
    pass(PING_SECONDS - 1)
    await pong(reader)
    pass(1)
    expect(await reader.next()).toEqual({ comment: "ping" })
  }
  await reader.close()
  expect(vi.getTimerCount()).toBe(0)
})

it("ends after an hour", async () => {
  const { reader, pong, isClosed } = open()
  await reader.next()
  for (let seconds = PING_SECONDS; seconds < 3_600; seconds += PING_SECONDS) {
    pass(PING_SECONDS)
    expect(await reader.next()).toEqual({ comment: "ping" })
    await pong(reader)
  }
  pass(PING_SECONDS)
  await expect(reader.next()).rejects.toThrow("The stream has ended")
  expect(vi.getTimerCount()).toBe(0)
  await eventually(() => expect(isClosed()).toBe(true))
})

it("ends if the object does not answer a ping, since changes could be missed", async () => {
  const { reader } = open()
  await reader.next()
  pass(PING_SECONDS)
  expect(await reader.next()).toEqual({ comment: "ping" })
  pass(PING_SECONDS)
  await expect(reader.next()).rejects.toThrow("The stream has ended")
})

it("confirms what was taken, and nothing while only a few changes come", async () => {
  const { reader, received, publish } = open()
  await reader.next()
  publish(249)
  for (let read = 0; read < 249; read++) await reader.next()
  publish(1)
  await reader.next()
  await eventually(() => expect(received).toEqual(["250"]))
  await reader.close()
})

it("is dropped after it has taken nothing for two pings", async () => {
  const { reader, received, publish, isClosed } = open()
  await reader.next()
  publish(500)
  publish(500)
  await eventually(() => {
    pass(PING_SECONDS)
    expect(isClosed()).toBe(true)
  })
  expect(received).not.toContain("1000")
  await expect(
    (async () => {
      for (;;) await reader.next()
    })(),
  ).rejects.toThrow("The reader is too slow")
})

it("ends when its session is over, and goes on while the database does not answer", async () => {
  const isSessionOver = vi.fn<() => Promise<boolean>>()
  const logged = vi.spyOn(console, "error").mockImplementation(() => {})
  const { reader, publish } = open({ isSessionOver })
  await reader.next()
  isSessionOver.mockRejectedValueOnce(new Error("overloaded"))
  pass(10)
  await vi.waitFor(() => expect(logged).toHaveBeenCalled())
  logged.mockRestore()
  isSessionOver.mockResolvedValueOnce(false)
  pass(10)
  publish(1)
  await reader.next()
  isSessionOver.mockResolvedValueOnce(true)
  pass(10)
  expect(await reader.next()).toEqual({ comment: "ping" })
  await expect(reader.next()).rejects.toThrow("The stream has ended")
})

it("closes the socket when the connection is closed", async () => {
  const { reader, isClosed } = open()
  await reader.next()
  await reader.close()
  await eventually(() => expect(isClosed()).toBe(true))
  expect(vi.getTimerCount()).toBe(0)
})
