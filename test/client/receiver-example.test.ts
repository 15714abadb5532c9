import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it, vi } from "vitest"
import { signedHeaders } from "../../src/lib/webhook-signature.ts"
import { freePort } from "../support/free-port.ts"
import { json, startServer } from "./server.ts"
import { SECRET } from "./signing.ts"

const folder = mkdtempSync(join(tmpdir(), "edgepost-receiver-"))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const eventOf = (id: string) => ({ id, type: "email.sent", data: {} })

/** The receiver of docs/examples, and a service with these events, whose numbers begin with 1. */
async function startBoth(...ids: string[]) {
  const { baseUrl } = await startServer((response, asked) => {
    const url = new URL(asked.path, "http://server")
    if (url.pathname.startsWith("/api/v1/webhooks/")) {
      return json(200, { enabled: true, events: ["email.sent"] })(response, asked)
    }
    const after = Number(url.searchParams.get("after"))
    if (after > ids.length) {
      return json(200, { data: [], nextAfter: 0, reset: true })(response, asked)
    }
    const numbered = ids.map((id, index) => ({ ...eventOf(id), sequence: index + 1 }))
    const data = numbered.slice(after)
    json(200, { data, nextAfter: ids.length })(response, asked)
  })
  vi.stubEnv("SVC_API_KEY", "svc_live_test")
  vi.stubEnv("SVC_BASE_URL", baseUrl)
  const path: string = "../../docs/examples/webhook-receiver/receiver.js"
  const { startReceiver } = await import(path)
  const handled: string[] = []
  const port = await freePort()
  const receiver = await startReceiver({
    webhookId: "wh_1",
    secret: SECRET,
    file: join(folder, `${port}.json`),
    port,
    handle: async ({ id }: { id: string }) => handled.push(id),
  })
  const deliver = async (sequence: number, id: string) => {
    const body = JSON.stringify(eventOf(id))
    const headers = signedHeaders([SECRET], { id, sequence }, body, Date.now())
    return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status
  }
  return { ids, handled, deliver, receiver }
}

it("handles a repeated delivery of an event once", async () => {
  const { ids, handled, deliver, receiver } = await startBoth("a", "b")
  ids.push("c")
  expect([await deliver(3, "c"), await deliver(3, "c"), await deliver(1, "a")]).toEqual(
    Array(3).fill(200),
  )
  await receiver.catchUp()
  expect(await deliver(3, "c")).toBe(200)
  expect(handled).toEqual(["a", "b", "c"])
  await receiver.stop()
})

it("handles an event once that arrives while the missed ones are read", async () => {
  const { ids, handled, deliver, receiver } = await startBoth("a")
  ids.push("b", "c")
  await Promise.all([receiver.catchUp(), deliver(3, "c"), deliver(2, "b"), receiver.catchUp()])
  expect(handled.toSorted()).toEqual(["a", "b", "c"])
  await receiver.stop()
})

it("reads from the first event when a restore has numbered the events anew", async () => {
  const { ids, handled, receiver } = await startBoth("a", "b", "c")
  ids.splice(1, 2, "d")
  await receiver.catchUp()
  expect(handled).toEqual(["a", "b", "c", "a", "d"])
  await receiver.stop()
})

it("notices a restore by the first event that is delivered after it", async () => {
  const { ids, handled, deliver, receiver } = await startBoth("a", "b", "c")
  ids.splice(1, 2, "d")
  expect(await deliver(2, "d")).toBe(200)
  expect(handled.slice(3)).toEqual(["a", "d"])
  ids.push("e")
  expect(await deliver(3, "e")).toBe(200)
  expect(handled.slice(3)).toEqual(["a", "d", "e"])
  await receiver.stop()
})
