import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { newWebhookSecret, signedHeaders } from "../../src/lib/webhook-signature.ts"
import { freePort } from "../support/free-port.ts"
import { hasProgram } from "../support/program.ts"
import { sharedServer } from "./shared-server.ts"

const MAIL_FROM = "Acme <hello@demo.test>"
const SECRET = newWebhookSecret()
const examples = fileURLToPath(new URL("../../docs/examples", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "edgepost-examples-"))

const server = sharedServer()
let env: Record<string, string>
beforeAll(async () => {
  const { apiKey, baseUrl } = server.credentials
  env = { SVC_API_KEY: apiKey, SVC_BASE_URL: baseUrl, MAIL_FROM, WEBHOOK_SECRET: SECRET, PORT: "0" }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
async function call(method: string, path: string, body?: unknown): Promise<any> {
  const response = await server.call(method, `/api/v1${path}`, body)
  return response.status === 204 ? undefined : response.json()
}

/** What the sandbox was handed. */
async function received(id: string) {
  const { data } = await call("GET", `/sandbox/messages?emailId=${id}&wait=20`)
  return data[0]
}

let addresses = 0
const newAddress = () => `reader-${Date.now()}-${++addresses}@example.com`

const EVENT = { id: "evt_1", type: "email.bounced", data: { email: { to: ["a@example.com"] } } }
const delivery = (sequence = 1, event: { id: string } = EVENT, secret = SECRET) => {
  const body = JSON.stringify(event)
  const headers = signedHeaders([secret], { id: event.id, sequence }, body, Date.now())
  return { method: "POST", headers, body }
}

/** What a visitor reads of any refusal. */
const NOT_SENT = { error: "The email could not be sent." }

/** Calls without a signature: with a body, and without one. */
const UNSIGNED = [{ method: "POST", body: "{}" }, { method: "POST" }]

describe("the route of Next.js", () => {
  const post = async (email: string) => {
    const { POST } = await import("../../docs/examples/nextjs/app/api/welcome/route.ts")
    const url = "http://localhost/api/welcome"
    return POST(new Request(url, { method: "POST", body: JSON.stringify({ email }) }))
  }

  it("sends once, however often the visitor presses", async () => {
    const to = newAddress()
    const first = await post(to)
    expect(first.status).toBe(201)
    const { id } = (await first.json()) as { id: string }
    expect(await (await post(to)).json()).toEqual({ id })
    expect(await received(id)).toMatchObject({ subject: "Welcome", envelope: { to: [to] } })
  })

  it("keeps the service's own answer from visitors", async () => {
    const refused = await post("nobody")
    expect([refused.status, await refused.json()]).toEqual([502, NOT_SENT])
  })
})

describe("Hono on Workers", () => {
  const ask = async (path: string, init: RequestInit) => {
    const { default: app } = await import("../../docs/examples/hono-workers/index.ts")
    return app.request(path, init, env)
  }

  it("keeps the service's own answer from visitors", async () => {
    const init = { method: "POST", body: JSON.stringify({ email: "nobody" }) }
    const refused = await ask("/orders/7/confirm", init)
    expect([refused.status, await refused.json()]).toEqual([502, NOT_SENT])
  })

  it("sends", async () => {
    const init = { method: "POST", body: JSON.stringify({ email: newAddress() }) }
    const reply = await ask(`/orders/${Date.now()}/confirm`, init)
    expect(reply.status).toBe(201)
    const { id } = (await reply.json()) as { id: string }
    expect(await received(id)).toMatchObject({ text: expect.stringContaining("on its way") })
  })

  it("believes signed webhooks only", async () => {
    expect((await ask("/hooks/edgepost", delivery())).status).toBe(200)
    const forged = delivery(1, EVENT, newWebhookSecret())
    for (const call of [forged, ...UNSIGNED]) {
      expect((await ask("/hooks/edgepost", call)).status).toBe(401)
    }
  })
})

describe("Express", () => {
  let own: Server
  let at: string
  beforeAll(async () => {
    const path: string = "../../docs/examples/express/server.js"
    own = (await import(path)).server
    at = `http://127.0.0.1:${(own.address() as AddressInfo).port}`
  })
  afterAll(() => own?.close())

  it("sends", async () => {
    const headers = { "content-type": "application/json" }
    const body = JSON.stringify({ email: newAddress() })
    const reply = await fetch(`${at}/invite`, { method: "POST", headers, body })
    expect(reply.status).toBe(201)
    const { id } = (await reply.json()) as { id: string }
    expect(await received(id)).toMatchObject({ subject: "You are invited" })
    const bad = await fetch(`${at}/invite`, { method: "POST", headers, body: '{"email":"nobody"}' })
    expect([bad.status, await bad.json()]).toEqual([502, NOT_SENT])
  })

  it("believes signed webhooks only", async () => {
    const long = { ...EVENT, data: { text: "x".repeat(1_500_000) } }
    for (const event of [EVENT, long]) {
      expect((await fetch(`${at}/hooks/edgepost`, delivery(1, event))).status).toBe(200)
    }
    const forged = delivery(1, EVENT, newWebhookSecret())
    for (const call of [forged, ...UNSIGNED]) {
      expect((await fetch(`${at}/hooks/edgepost`, call)).status).toBe(401)
    }
  })
})

it("an email in React arrives as html and text", async () => {
  const { sendWelcome } = await import("../../docs/examples/react-email/send.tsx")
  const message = await received(await sendWelcome(newAddress(), "Ada"))
  expect(message.html).toMatch(/<h1 style="[^"]+">Welcome, .*Ada<\/h1>/)
  expect(message.text).toContain("https://example.com/confirm?to=")
})

const LANGUAGES = [
  ["Python", "python3", ["python/send.py"], "From Python", "python3"],
  ["Go", "go", ["run", "go/main.go"], "From Go", "golang-go"],
  ["PHP", "php", ["php/send.php"], "From PHP", "php-cli"],
] as const

describe.each(LANGUAGES)("%s", (name, program, args, subject, debian) => {
  const isThere = hasProgram(program, { debian, ...(name === "Go" && { version: "version" }) })
  const run = (to: string, changed: Record<string, string> = {}) =>
    promisify(execFile)(program, [...args, to], {
      cwd: examples,
      env: { ...process.env, ...env, GOCACHE: join(folder, "go"), ...changed },
    })

  it.runIf(isThere)("sends once with an idempotency key, and says a refusal", async () => {
    const to = newAddress()
    const id = (await run(to)).stdout.trim()
    expect((await run(to)).stdout.trim()).toBe(id)
    expect(await received(id)).toMatchObject({ subject, envelope: { to: [to] } })
    await expect(run(newAddress(), { MAIL_FROM: "a@elsewhere.example" })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No verified domain"),
    })
  })
})

describe("a webhook receiver that was down", () => {
  it("handles every event once: live, repeated, and missed", async () => {
    const path: string = "../../docs/examples/webhook-receiver/receiver.js"
    const { startReceiver } = await import(path)
    const port = await freePort()
    const webhook = await call("POST", "/webhooks", {
      url: `http://127.0.0.1:${port}/`,
      events: ["email.sent", "email.delivered"],
    })
    const handled: { id: string; type: string; data: { email: { id: string } } }[] = []
    const start = () =>
      startReceiver({
        webhookId: webhook.id,
        secret: webhook.secret,
        file: join(folder, "handled.json"),
        port,
        handle: async (event: (typeof handled)[0]) => handled.push(event),
      })
    const send = () =>
      call("POST", "/emails", { from: MAIL_FROM, to: newAddress(), subject: "Hi", text: "Hi" })
    const typesOf = ({ id }: { id: string }) =>
      handled.filter(({ data }) => data.email.id === id).map(({ type }) => type)
    const both = ["email.sent", "email.delivered"]

    const first = await start()
    const live = await send()
    await vi.waitFor(() => expect(typesOf(live).toSorted()).toEqual(both.toSorted()), 30_000)
    await first.stop()

    // As the service leaves a webhook after a day of failures: disabled, its deliveries dropped.
    await call("PATCH", `/webhooks/${webhook.id}`, { enabled: false })
    const missed = [await send(), await send()]
    for (const { id } of missed) {
      const isDelivered = async () =>
        expect((await call("GET", `/emails/${id}`)).status).toBe("delivered")
      await vi.waitFor(isDelivered, 30_000)
    }

    const second = await start()
    for (const email of missed) expect(typesOf(email)).toEqual(both)
    expect((await call("GET", `/webhooks/${webhook.id}`)).enabled).toBe(true)

    const count = handled.length
    const event = handled.at(-1)!
    const { nextAfter } = await call("GET", "/events?limit=100")
    const url = `http://127.0.0.1:${port}/`
    for (const sequence of [nextAfter, nextAfter + 1]) {
      const fresh = { ...event, id: `${event.id.slice(0, -1)}_`, type: "email.delivered" }
      const repeated = sequence === nextAfter ? event : fresh
      const request = delivery(sequence, repeated, webhook.secret)
      expect((await fetch(url, request)).status).toBe(200)
      expect((await fetch(url, request)).status).toBe(200)
    }
    expect(handled).toHaveLength(count + 1)
    for (const call of [delivery(nextAfter + 9), ...UNSIGNED]) {
      expect((await fetch(url, call)).status).toBe(401)
    }

    const again = await send()
    await vi.waitFor(() => expect(typesOf(again).toSorted()).toEqual(both.toSorted()), 30_000)
    await second.stop()
    const ids = handled.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
