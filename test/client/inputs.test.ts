import { Readable } from "node:stream"
import { expect, it } from "vitest"
import type { Edgepost } from "../../src/client/index.ts"
import { cut, json, refusal, startServer } from "./server.ts"

const input = { from: "a@demo.test", to: "b@example.com", subject: "Hi", text: "Hi" }

it("encodes bytes of every kind, and keeps base64", async () => {
  const { asked, open } = await startServer(json(201, { id: "em_1" }))
  const bytes = Uint8Array.from({ length: 100_001 }, (_, index) => index % 251)
  const contents = [
    Buffer.from(bytes),
    bytes,
    bytes.buffer,
    new Blob([bytes], { type: "image/png" }),
    Buffer.from(bytes).toString("base64"),
  ]
  const attachments = contents.map((content) => ({ filename: "a.png", content }))
  await open().emails.send({ ...input, attachments })
  const sent = JSON.parse(asked[0]?.body ?? "").attachments
  for (const { content } of sent) {
    expect(Buffer.from(content, "base64").equals(Buffer.from(bytes))).toBe(true)
  }
  expect(sent.map((one: { contentType?: string }) => one.contentType)).toEqual([
    undefined,
    undefined,
    undefined,
    "image/png",
    undefined,
  ])
})

it("encodes the bytes of a DataView and of numbers with several bytes", async () => {
  const { asked, open } = await startServer(json(201, { id: "em_1" }))
  const { buffer } = Uint8Array.of(1, 2, 3, 4, 5, 6)
  const attachments = [new DataView(buffer, 1, 3), new Uint16Array(buffer, 2, 2)].map(
    (content) => ({ filename: "a.bin", content }),
  )
  await open().emails.send({ ...input, attachments })
  const sent: { content: string }[] = JSON.parse(asked[0]?.body ?? "").attachments
  expect(sent.map(({ content }) => [...Buffer.from(content, "base64")])).toEqual([
    [2, 3, 4],
    [3, 4, 5, 6],
  ])
})

it.each<[string, unknown]>([
  ["a promise", Promise.resolve(Buffer.from("a"))],
  ["undefined", undefined],
  ["null", null],
  ["a Node stream", Readable.from(["a"])],
  ["a Response", new Response("a")],
  ["the JSON of a Buffer", Buffer.from("a").toJSON()],
  ["a list of numbers", [97]],
  ["a number", 3],
])("refuses an attachment whose content is %s", async (_, content) => {
  const { asked, open } = await startServer(json(201, { id: "em_1" }))
  const attachments = [{ filename: "a.pdf", content: content as string }]
  for (const call of [
    open().emails.send({ ...input, attachments }),
    open().emails.batch([{ ...input, attachments }]),
    open().emails.check({ ...input, attachments }),
  ]) {
    await expect(call).rejects.toMatchObject({
      name: "EdgepostError",
      code: "configuration",
      message: expect.stringContaining('attachment "a.pdf" must be base64, bytes'),
    })
  }
  expect(asked).toEqual([])
})

it("takes dates in bodies and queries, and booleans and lists in queries", async () => {
  const { asked, open } = await startServer(json(200, { data: [], nextCursor: null }))
  const date = new Date("2026-12-24T18:00:00Z")
  await open().emails.send({ ...input, scheduledAt: date })
  await open().emails.list({ since: date })
  await open().contacts.list("cb_1", { subscribed: false })
  await open().emails.list({ status: ["bounced", "failed"], tag: [], opened: true })
  expect(JSON.parse(asked[0]?.body ?? "").scheduledAt).toBe("2026-12-24T18:00:00.000Z")
  expect(asked.slice(1).map(({ path }) => path)).toEqual([
    "/api/v1/emails?since=2026-12-24T18%3A00%3A00.000Z",
    "/api/v1/contact-books/cb_1/contacts?subscribed=false",
    "/api/v1/emails?status=bounced&status=failed&opened=true",
  ])
})

it("refuses an invalid date before it asks", async () => {
  const { asked, open } = await startServer(json(200, {}))
  const { emails, campaigns } = open()
  const scheduledAt = new Date("soon")
  for (const call of [
    emails.send({ ...input, scheduledAt }),
    emails.batch([input, { ...input, scheduledAt }]),
    emails.check({ ...input, scheduledAt }),
    emails.reschedule("em_1", { scheduledAt }),
    campaigns.schedule("cmp_1", { scheduledAt }),
  ]) {
    await expect(call).rejects.toMatchObject({
      name: "EdgepostError",
      code: "configuration",
      message: "scheduledAt is an invalid date.",
    })
  }
  expect(asked).toEqual([])
  await emails.send({ ...input, scheduledAt: null })
  expect(JSON.parse(asked[0]?.body ?? "").scheduledAt).toBeNull()
})

it("makes idempotency keys on request, and repeats a broken send with the same one", async () => {
  const { asked, open } = await startServer(cut, json(201, { id: "em_1" }))
  const client = open({ idempotencyKeys: "automatic" })
  await client.emails.send(input)
  await client.emails.batch([input])
  await client.emails.send({ ...input, idempotencyKey: "own" })
  const keys = asked.map(({ headers }) => headers["idempotency-key"])
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys[2]).not.toBe(keys[0])
  expect(keys[3]).toBeUndefined()
})

it("makes no keys without the option", async () => {
  const { asked, open } = await startServer(json(201, { id: "em_1" }))
  await open().emails.send(input)
  expect(asked[0]?.headers).not.toHaveProperty("idempotency-key")
})

it("reads every page of each list", async () => {
  const lists = ["apiKeys", "contactBooks", "domains", "sandbox", "templates", "webhooks"] as const
  for (const list of lists) {
    const { open } = await startServer(
      json(200, { data: [{ id: "1" }], nextCursor: "next" }),
      json(200, { data: [{ id: "2" }], nextCursor: null }),
    )
    const ids: string[] = []
    for await (const one of open()[list].iterate()) ids.push((one as unknown as { id: string }).id)
    expect([list, ids]).toEqual([list, ["1", "2"]])
  }
})

it.each<[string, (client: Edgepost) => AsyncIterable<object>]>([
  [
    "/webhooks/wh_1/deliveries?state=failed",
    ({ webhooks }) => webhooks.iterateDeliveries("wh_1", { state: "failed" }),
  ],
  ["/segments/seg_1/contacts?limit=9", (c) => c.segments.iterateContacts("seg_1", { limit: 9 })],
  ["/sequences/seq_1/runs?limit=9", (c) => c.sequences.iterateRuns("seq_1", { limit: 9 })],
  ["/campaigns/cmp_1/links?limit=9", (c) => c.campaigns.iterateLinks("cmp_1", { limit: 9 })],
  ["/templates/hi/links?limit=9", (c) => c.templates.iterateLinks("hi", { limit: 9 })],
  ["/threads/thr_1/messages?limit=9", (c) => c.threads.iterateMessages("thr_1", { limit: 9 })],
  [
    "/contact-books/cb_1/contacts/ct_1/consent?limit=9",
    ({ contacts }) => contacts.iterateConsent("cb_1", "ct_1", { limit: 9 }),
  ],
  [
    "/contact-books/cb_1/contacts/ct_1/events?limit=9",
    ({ contacts }) => contacts.iterateEvents("cb_1", "ct_1", { limit: 9 }),
  ],
  ["/refused-calls?limit=9", (c) => c.iterateRefusedCalls({ limit: 9 })],
])("reads every page of %s", async (path, iterate) => {
  const { asked, open } = await startServer(
    json(200, { data: [{ id: "1" }], nextCursor: "next" }),
    json(200, { data: [{ id: "2" }], nextCursor: null }),
  )
  const found: object[] = []
  for await (const one of iterate(open())) found.push(one)
  expect(found).toEqual([{ id: "1" }, { id: "2" }])
  expect(asked.map((one) => one.path)).toEqual([`/api/v1${path}`, `/api/v1${path}&cursor=next`])
})

it("reads events until there are no more", async () => {
  const { asked, open } = await startServer(
    json(200, { data: [{ id: "1" }, { id: "2" }], nextAfter: 7 }),
    json(200, { data: [], nextAfter: 7 }),
  )
  const ids: string[] = []
  for await (const { id } of open().events.iterate({ after: 5 })) ids.push(id)
  expect(ids).toEqual(["1", "2"])
  expect(asked.map(({ path }) => path)).toEqual([
    "/api/v1/events?after=5",
    "/api/v1/events?after=7",
  ])
})

it("begins anew where the service has numbered its events anew", async () => {
  const { asked, open } = await startServer(
    json(200, { data: [], nextAfter: 0, reset: true }),
    json(200, { data: [{ id: "1" }], nextAfter: 1 }),
    json(200, { data: [], nextAfter: 1 }),
  )
  const ids: string[] = []
  for await (const { id } of open().events.iterate({ after: 900 })) ids.push(id)
  expect(ids).toEqual(["1"])
  expect(asked.map(({ path }) => path)).toEqual([
    "/api/v1/events?after=900",
    "/api/v1/events?after=0",
    "/api/v1/events?after=1",
  ])
})

const page = (...data: unknown[]) => json(200, { data, nextCursor: null })
const ada = { id: "con_1", email: "ada@example.com" }

it("finds a contact by its exact address", async () => {
  const { asked, open } = await startServer(page({ ...ada, email: "ada@example.com.au" }, ada))
  expect(await open().contacts.getByEmail("cb_1", " Ada@example.com")).toEqual(ada)
  expect(asked[0]?.path).toBe("/api/v1/contact-books/cb_1/contacts?q=ada%40example.com&limit=100")
  expect(await open().contacts.getByEmail("cb_1", "bob@example.com")).toBeNull()
})

it.each([
  ["with a domain beyond ASCII", "Ada@Bücher.example", "ada@xn--bcher-kva.example"],
  ["with a domain that has a joiner", "a@نامه\u200cای.com", "a@xn--mgba3gch31f060k.com"],
  ["with a dot at its end", "ada@example.com.", "ada@example.com"],
  ["longer than a search", `ada@${"a.".repeat(60)}example`, `ada@${"a.".repeat(60)}example`],
])("finds a contact by an address %s", async (_, given, email) => {
  const { asked, open } = await startServer(page({ ...ada, email }))
  expect(await open().contacts.getByEmail("cb_1", given)).toEqual({ ...ada, email })
  const q = new URL(asked[0]?.path ?? "", "http://server").searchParams.get("q")
  expect(q).toBe(email.slice(0, 120))
})

it("upserts: adds a contact, or changes the one there, and never subscribes it again", async () => {
  const known = await startServer(page(ada), json(200, ada))
  const fields = { email: ada.email, firstName: "Ada", subscribed: true }
  await known.open().contacts.upsert("cb_1", fields)
  expect(known.asked.map(({ method }) => method)).toEqual(["GET", "PATCH"])
  expect(JSON.parse(known.asked[1]?.body ?? "")).toEqual({ firstName: "Ada" })

  const unknown = await startServer(page(), json(201, ada))
  await unknown.open().contacts.upsert("cb_1", fields)
  expect(JSON.parse(unknown.asked[1]?.body ?? "")).toEqual(fields)

  const raced = await startServer(page(), refusal(409, "conflict"), page(ada), json(200, ada))
  await raced.open().contacts.upsert("cb_1", { ...fields, subscribed: false })
  expect(raced.asked.map(({ method }) => method)).toEqual(["GET", "POST", "GET", "PATCH"])
  expect(JSON.parse(raced.asked[3]?.body ?? "")).toEqual({ firstName: "Ada", subscribed: false })
})

it("upserts nothing where nothing changes: answers the contact as it is", async () => {
  const contact = { ...ada, topics: { top_1: false } }
  const { asked, open } = await startServer(page(contact))
  for (const fields of [
    {},
    { subscribed: true },
    { topics: { top_1: true } },
    { firstName: undefined as never, topics: {} },
  ]) {
    expect(await open().contacts.upsert("cb_1", { email: ada.email, ...fields })).toEqual(contact)
  }
  expect(asked.map(({ method }) => method)).toEqual(["GET", "GET", "GET", "GET"])
})
