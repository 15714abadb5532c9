import { describe, expect, it, vi } from "vitest"
import {
  createWebhookHandler,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from "../../src/client/receiver.ts"
import { newWebhookSecret } from "../../src/lib/webhook-signature.ts"
import { delivery, EVENT, headersOf, SECRET } from "./signing.ts"

const OTHER = newWebhookSecret()
const body = JSON.stringify(EVENT)
const bytes = new TextEncoder().encode(body)
const headers = headersOf(body)
const MIB = 1024 * 1024
const raise = (error: Error) => {
  throw error
}

describe("verifyWebhook", () => {
  it.each([
    ["a Request", delivery()],
    ["a string", { headers, body }],
    ["bytes", { headers, body: bytes }],
    ["a part of a buffer", { headers, body: Buffer.from(`x${body}x`).subarray(1, -1) }],
    ["an ArrayBuffer", { headers, body: bytes.buffer as ArrayBuffer }],
    ["Headers", { headers: new Headers(headers), body }],
    ["another case", { headers: { "Svc-Signature": headers["svc-signature"]! }, body }],
  ])("takes %s", async (_what, request) => {
    expect(await verifyWebhook(request, SECRET)).toEqual(EVENT)
  })

  it.each([
    ["no signature", { headers: {}, body }],
    ["two signatures", { headers: { "svc-signature": [headers["svc-signature"]!, "x"] }, body }],
    ["another body", { headers, body: `${body} ` }],
    ["a body that was parsed", { headers, body: EVENT as never }],
    ["a body that is not JSON", { headers: headersOf("{"), body: "{" }],
  ])("refuses %s", async (_what, request) => {
    await expect(verifyWebhook(request, SECRET)).rejects.toBeInstanceOf(WebhookVerificationError)
  })

  const check = (secret: string | string[] | undefined) => verifyWebhook({ headers, body }, secret)

  it("takes any of several secrets", async () => {
    expect(await check([OTHER, SECRET])).toEqual(EVENT)
    for (const secret of [OTHER, [OTHER]]) {
      await expect(check(secret)).rejects.toBeInstanceOf(WebhookVerificationError)
    }
  })

  it.each(["", [], [""]].map((secret) => ({ secret })))(
    "fails with an empty secret, $secret, and says so",
    async ({ secret }) => {
      const error = new WebhookVerificationError("The webhook's secret is empty.")
      await expect(check(secret)).rejects.toThrow(error)
      const handler = createWebhookHandler({ secret, on: {} })
      expect((await handler(delivery())).status).toBe(401)
    },
  )

  it("names a missing secret", async () => {
    await expect(check(undefined)).rejects.toMatchObject({
      code: "configuration",
      message: "verifyWebhook needs the webhook's secret, whsec_….",
    })
  })

  it.each([
    ["a number", (ms: number) => ms],
    ["a date", (ms: number) => new Date(ms)],
    ["a function", (ms: number) => () => ms],
  ])("takes the time as %s, within the tolerance", async (_what, toNow) => {
    const at = 1_800_000_000_000
    const request = { headers: headersOf(body, SECRET, at), body }
    const check = (seconds: number, toleranceSeconds?: number) =>
      verifyWebhook(request, SECRET, {
        now: toNow(at + seconds * 1000),
        ...(toleranceSeconds !== undefined && { toleranceSeconds }),
      })
    for (const seconds of [-300, 0, 300]) expect(await check(seconds)).toEqual(EVENT)
    expect(await check(10, 10)).toEqual(EVENT)
    for (const [seconds, tolerance] of [[-301], [301], [11, 10], [Number.NaN], [0, Number.NaN]]) {
      await expect(check(seconds!, tolerance)).rejects.toBeInstanceOf(WebhookVerificationError)
    }
  })
})

describe("createWebhookHandler", () => {
  const receive = (request: Request, bounced: (event: WebhookEvent) => unknown = () => {}) =>
    createWebhookHandler({ secret: SECRET, on: { "email.bounced": bounced } })(request)

  it("answers 200 when the event's handler is done", async () => {
    let done = false
    const response = await receive(delivery(), async (event) => {
      expect(event).toEqual(EVENT)
      await new Promise((resolve) => setTimeout(resolve, 10))
      done = true
    })
    expect([response.status, done]).toEqual([200, true])
  })

  it.each(["email.sent", "domain.verified", "something.new", "constructor", "__proto__"])(
    "answers 200 to %s, which has no handler",
    async (type) => {
      const bounced = vi.fn()
      expect((await receive(delivery({ ...EVENT, type }), bounced)).status).toBe(200)
      expect(bounced).not.toHaveBeenCalled()
    },
  )

  it.each([
    ["a wrong signature", delivery(EVENT, { secret: OTHER })],
    ["a stale one", delivery(EVENT, { now: Date.now() - 302_000 })],
    ["none", new Request("https://receiver.test/", { method: "POST", body })],
    ["no body", new Request("https://receiver.test/", { method: "POST", headers })],
  ])("answers 401 to %s", async (_what, request) => {
    const bounced = vi.fn()
    const response = await receive(request, bounced)
    expect(response.status).toBe(401)
    expect(bounced).not.toHaveBeenCalled()
  })

  it.each(["GET", "HEAD", "PUT", "DELETE"])("answers 405 to %s", async (method) => {
    const response = await receive(new Request("https://receiver.test/", { method }))
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"])
  })

  it("answers 413 to more than 1 MiB, without reading on", async () => {
    const padded = (size: number) => {
      const text = JSON.stringify({ ...EVENT, padding: "" })
      return { ...EVENT, padding: "x".repeat(size - new TextEncoder().encode(text).length) }
    }
    expect((await receive(delivery(padded(MIB)))).status).toBe(200)
    expect((await receive(delivery(padded(MIB + 1)))).status).toBe(413)
    let read = 0
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * ++read && 1024)),
    })
    const init = { method: "POST", headers, body: endless, duplex: "half" } as RequestInit
    expect((await receive(new Request("https://receiver.test/", init))).status).toBe(413)
    expect(read).toBeLessThan(1_100)
  })

  it("answers 500 when the handler throws, and passes the error to onError", async () => {
    const onError = vi.fn()
    const error = new Error("broken")
    for (const fail of [
      () => Promise.reject(error),
      () => {
        throw error
      },
    ]) {
      const handler = createWebhookHandler({
        secret: SECRET,
        on: { "email.bounced": fail },
        onError,
      })
      expect((await handler(delivery())).status).toBe(500)
    }
    expect(onError.mock.calls).toEqual([
      [error, EVENT],
      [error, EVENT],
    ])
    const handler = createWebhookHandler({ secret: SECRET, on: {}, onError })
    await handler(delivery(EVENT, { secret: OTHER }))
    expect(onError).toHaveBeenCalledTimes(2)
  })

  it.each([
    ["throws", () => raise(new Error("no log"))],
    ["rejects", () => Promise.reject(new Error("no log"))],
  ])("answers 500 also when onError %s, and logs both errors", async (_, onError) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {})
    const error = new Error("broken")
    const on = { "email.bounced": () => Promise.reject(error) }
    const handler = createWebhookHandler({ secret: SECRET, on, onError })
    expect((await handler(delivery())).status).toBe(500)
    expect(log.mock.calls).toEqual([[new Error("no log")], [error]])
    log.mockRestore()
  })

  it("takes a list of secrets and a clock", async () => {
    const options = { secret: [OTHER, SECRET], on: {}, now: 1_800_000_000_000, toleranceSeconds: 1 }
    const receiveThen = createWebhookHandler(options)
    expect((await receiveThen(delivery(EVENT, { now: 1_800_000_001_000 }))).status).toBe(200)
    expect((await receiveThen(delivery(EVENT, { now: 1_800_000_002_000 }))).status).toBe(401)
  })
})
