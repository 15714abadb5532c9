import { describe, expect, it } from "vitest"
import type { Edgepost } from "../../src/client/index.ts"
import {
  type Answer,
  cut,
  cutInBody,
  hang,
  hangInBody,
  json,
  page,
  refusal,
  startServer,
} from "./server.ts"

type Method = (client: Edgepost) => Promise<unknown>

const input = { from: "a@demo.test", to: "b@example.com", subject: "Hi", text: "Hi" }
const keyed = { ...input, idempotencyKey: "order-1" }

const get: Method = (client) => client.emails.get("em_1")
const send: Method = (client) => client.emails.send(input)

describe("a status", () => {
  it.each([
    [400, 1, "validation_error"],
    [401, 1, "unauthorized"],
    [403, 1, "forbidden"],
    [404, 1, "not_found"],
    [405, 1, "method_not_allowed"],
    [409, 1, "conflict"],
    [413, 1, "payload_too_large"],
    [422, 1, "suppressed_recipient"],
    [429, 3, "rate_limited"],
    [500, 3, "internal_error"],
    [501, 1, "internal_error"],
    [502, 3, "internal_error"],
    [503, 3, "not_configured"],
    [504, 3, "internal_error"],
    [505, 1, "internal_error"],
    [599, 3, "internal_error"],
  ])("%i is tried %i times", async (status, attempts, code) => {
    const { asked, open } = await startServer(refusal(status, code))
    await expect(get(open())).rejects.toMatchObject({
      name: "EdgepostError",
      message: "No.",
      code,
      status,
      details: [1],
      requestId: "req_1",
      retryable: attempts > 1,
      attempts,
    })
    expect(asked).toHaveLength(attempts)
  })
})

describe("a method", () => {
  const repeated: [string, Method][] = [
    ["me", (client) => client.me()],
    ["stats", (client) => client.stats()],
    ["emails.list", (client) => client.emails.list()],
    ["emails.reschedule", (client) => client.emails.reschedule("em_1", { scheduledAt: "x" })],
    ["emails.cancel", (client) => client.emails.cancel("em_1")],
    ["emails.explain", (client) => client.emails.explain("em_1")],
    ["send with a key", (client) => client.emails.send(keyed)],
    ["send with the call's key", (client) => client.emails.send(input, { idempotencyKey: "k" })],
    ["batch with keys alone", (client) => client.emails.batch([keyed, keyed])],
    [
      "batch with the call's key",
      (client) => client.emails.batch([input], { idempotencyKey: "k" }),
    ],
    ["domains.verify", (client) => client.domains.verify("dom_1")],
    ["webhooks.test", (client) => client.webhooks.test("wh_1")],
    ["webhooks.backfill", (client) => client.webhooks.backfill("wh_1", { after: 0 })],
    ["templates.render", (client) => client.templates.render("welcome")],
    ["contacts.unsubscribe", (client) => client.contacts.unsubscribe({ email: "a@example.com" })],
    ["campaigns.cancel", (client) => client.campaigns.cancel("cmp_1")],
    ["campaigns.update", (client) => client.campaigns.update("cmp_1", { name: "New" })],
    ["campaigns.remove", (client) => client.campaigns.remove("cmp_1")],
  ]
  const triedOnce: [string, Method][] = [
    ["send", send],
    ["send with an empty key", (client) => client.emails.send(input, { idempotencyKey: "" })],
    ["batch with a key missing", (client) => client.emails.batch([keyed, input])],
    ["emails.check", (client) => client.emails.check(input)],
    ["campaigns.sendNow", (client) => client.campaigns.sendNow("cmp_1")],
    ["campaigns.create", (client) => client.campaigns.create({} as never)],
    ["contactBooks.import", (client) => client.contactBooks.import("cb_1", { csv: "email" })],
    ["suppressions.add", (client) => client.suppressions.add({ email: "a@example.com" })],
    ["webhooks.replay", (client) => client.webhooks.replay("whd_1")],
    ["apiKeys.create", (client) => client.apiKeys.create({ name: "CI" })],
  ]

  it.each(repeated)("%s is repeated", async (_name, call) => {
    const { asked, open } = await startServer(refusal(503), refusal(429), json(200, { ok: true }))
    expect(await call(open())).toEqual({ ok: true })
    expect(asked).toHaveLength(3)
    const [first, ...others] = asked.map(({ method, path, body }) => [method, path, body].join(" "))
    expect(others).toEqual([first, first])
  })

  it.each(triedOnce)("%s is tried once, and its failure could still pass", async (_name, call) => {
    const { asked, open } = await startServer(refusal(503))
    await expect(call(open())).rejects.toMatchObject({ attempts: 1, retryable: true })
    expect(asked).toHaveLength(1)
  })

  it("carries the call's key in the header, and an input's key in the body", async () => {
    const { asked, open } = await startServer(json(201, { id: "em_1" }))
    await open().emails.send(input, { idempotencyKey: "k" })
    await open().emails.send(keyed)
    expect(asked.map(({ headers }) => headers["idempotency-key"])).toEqual(["k", undefined])
    expect(asked.map(({ body }) => JSON.parse(body).idempotencyKey)).toEqual([undefined, "order-1"])
  })

  it("sends a key with any characters", async () => {
    const { asked, open } = await startServer(json(201, { id: "em_1" }))
    await open().emails.send(input, { idempotencyKey: "schlüssel ✓" })
    const [header = ""] = asked.map(({ headers }) => String(headers["idempotency-key"]))
    expect(Buffer.from(header, "latin1").toString("utf8")).toBe("schlüssel ✓")
  })
})

describe("the number of retries", () => {
  it.each([
    [0, 1],
    [1, 2],
    [4, 5],
    [Number.NaN, 1],
  ])("%d makes %i tries", async (maxRetries, attempts) => {
    const { asked, open } = await startServer(refusal(500))
    await expect(get(open({ maxRetries }))).rejects.toMatchObject({ attempts })
    await expect(open().emails.get("em_1", { maxRetries })).rejects.toMatchObject({ attempts })
    expect(asked).toHaveLength(2 * attempts)
  })
})

describe("a deletion", () => {
  it("succeeds if a retry is answered 404", async () => {
    const { open } = await startServer(refusal(500), refusal(404, "not_found"))
    expect(await open().webhooks.delete("wh_1")).toBeUndefined()
  })

  it("is refused if the first try is answered 404", async () => {
    const { open } = await startServer(refusal(404, "not_found"))
    await expect(open().webhooks.delete("wh_1")).rejects.toMatchObject({ code: "not_found" })
  })

  it("resolves to what the API tells, or to undefined", async () => {
    const { open } = await startServer(json(200, { leftoverDnsRecords: 2 }), json(204, null))
    expect(await open().domains.delete("dom_1")).toEqual({ leftoverDnsRecords: 2 })
    expect(await open().domains.delete("dom_1")).toBeUndefined()
  })
})

it("a read that is answered 404 on a retry is refused", async () => {
  const { open } = await startServer(refusal(500), refusal(404, "not_found"))
  await expect(get(open())).rejects.toMatchObject({ code: "not_found", attempts: 2 })
})

describe.concurrent("a network failure", () => {
  const failures: [string, Answer][] = [
    ["cut before the headers", cut],
    ["cut in the body", cutInBody],
    ["without headers in time", hang],
    ["without the whole body in time", hangInBody],
  ]

  it.for(failures)("%s: is tried again", async ([, failure], { expect }) => {
    const { asked, open } = await startServer(failure, json(200, { ok: true }))
    expect(await get(open({ timeoutMs: 2_000 }))).toEqual({ ok: true })
    expect(asked).toHaveLength(2)
  })

  it.for(failures)("%s: of a POST is not", async ([, failure], { expect }) => {
    const { asked, open } = await startServer(failure)
    await expect(send(open({ timeoutMs: 1_000 }))).rejects.toMatchObject({
      name: "EdgepostError",
      code: "network_error",
      status: null,
      requestId: null,
      retryable: true,
      attempts: 1,
    })
    expect(asked).toHaveLength(1)
  })

  it("says that the connection failed if no server listens", async ({ expect }) => {
    const { server, open } = await startServer()
    await new Promise((resolve) => server.close(resolve))
    await expect(get(open({ maxRetries: 0 }))).rejects.toMatchObject({
      code: "network_error",
      message: expect.stringMatching(/^The connection to 127\.0\.0\.1:\d+ failed: ECONNREFUSED$/),
    })
  })

  it("has the timeout of the call, and none within any time", async ({ expect }) => {
    const silent = await startServer(hang)
    const options = { timeoutMs: 20, maxRetries: 0 }
    await expect(silent.open().emails.get("em_1", options)).rejects.toThrow(
      /^No answer from 127\.0\.0\.1:\d+ within 20 ms\.$/,
    )
    const slow = await startServer((response, asked) =>
      setTimeout(() => json(200, { ok: true })(response, asked), 50),
    )
    expect(await get(slow.open({ timeoutMs: Number.POSITIVE_INFINITY }))).toEqual({ ok: true })
  })
})

describe("the caller's signal", () => {
  const reason = new Error("enough")

  it("aborts before the call", async () => {
    const { asked, open } = await startServer(json(200, {}))
    const call = open().emails.get("em_1", { signal: AbortSignal.abort(reason) })
    await expect(call).rejects.toBe(reason)
    expect(asked).toHaveLength(0)
  })

  it.each([
    ["the headers", hang, 2],
    ["the body", hangInBody, 2],
    ["the headers of a call without retries", hang, 0],
  ])("aborts while %s are waited for, and nothing is repeated", async (_, answer, maxRetries) => {
    const controller = new AbortController()
    const { asked, open } = await startServer((response, one) => {
      answer(response, one)
      setTimeout(() => controller.abort(reason), 20)
    })
    const call = open().emails.get("em_1", { signal: controller.signal, maxRetries })
    await expect(call).rejects.toBe(reason)
    expect(asked).toHaveLength(1)
  })

  it("aborts the wait before a retry", async () => {
    const controller = new AbortController()
    const { asked, open } = await startServer((response, one) => {
      json(503, {}, { "retry-after": "60" })(response, one)
      setTimeout(() => controller.abort(reason), 20)
    })
    const call = open().emails.get("em_1", { signal: controller.signal })
    await expect(call).rejects.toBe(reason)
    expect(asked).toHaveLength(1)
  })
})

describe("a reply that is not the API's JSON", () => {
  it.each([
    [200, "<h1>Sign in</h1>", "unexpected_reply", 1],
    [200, "", "unexpected_reply", 1],
    [302, "", "unexpected_reply", 1],
    [404, "<h1>Not found</h1>", "unexpected_reply", 1],
    [429, "slow down", "unexpected_reply", 3],
    [500, "", "internal_error", 3],
    [501, "<h1>No</h1>", "internal_error", 1],
    [502, "<h1>Bad gateway</h1>", "internal_error", 3],
    [403, '"a text"', "unexpected_reply", 1],
    [403, "null", "unexpected_reply", 1],
    [403, '{"error":"blocked"}', "unexpected_reply", 1],
  ])("keeps its status: %i %j", async (status, body, code, attempts) => {
    const { asked, open } = await startServer(page(status, body))
    await expect(get(open())).rejects.toMatchObject({ status, code, attempts })
    expect(asked).toHaveLength(attempts)
  })

  it("is not followed to another URL", async () => {
    const elsewhere = await startServer(json(200, {}))
    const { open } = await startServer((response) =>
      response.writeHead(307, { location: elsewhere.baseUrl }).end(),
    )
    await expect(get(open())).rejects.toMatchObject({ status: 307, code: "unexpected_reply" })
    expect(elsewhere.asked).toHaveLength(0)
  })
})
