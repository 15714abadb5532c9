import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { purgeContactEvents } from "../../../src/worker/contact-events/purge.ts"
import { explainEmail } from "../../../src/worker/emails/explain/explain.ts"
import { sweepSequences } from "../../../src/worker/sequences/running/sweep.ts"
import { makeStage, send, sequenceInput, wait } from "../../support/sequence.ts"

let stage: Awaited<ReturnType<typeof makeStage>>
let count = 0
beforeAll(async () => {
  stage = await makeStage()
})

const address = () => `n${++count}@example.com`
const HOUR = 60

describe("a segment as trigger", () => {
  it("enters who begins to match, once, and not who matched before", async () => {
    const { api } = stage.team
    const property = `cohort${++count}`
    const filter = { all: [{ field: `properties.${property}`, op: "is", value: "yes" }] }
    const segment = await api.post("/segments", { name: property, bookId: stage.bookId, filter })
    const before = await stage.addContact(address(), { properties: { [property]: "yes" } })
    const later = await stage.addContact(address())
    const id = await stage.addSequence({
      trigger: { on: "segment", segmentId: segment.body.id },
      entry: "again",
      steps: [{ key: "tell", kind: "notify" }],
    })
    const put = (value: string) =>
      api.patch(`/contact-books/${stage.bookId}/contacts/${later}`, {
        properties: { [property]: value },
      })
    const countOf = async () => (await api.get(`/sequences/${id}`)).body.counts.entered
    await stage.pass()
    await put("yes")
    await stage.pass()
    expect(await countOf()).toBe(0)
    await stage.pass(HOUR)
    expect(await stage.runOf(id, later)).toMatchObject({ endedBy: "finished" })
    expect(await stage.runOf(id, before)).toBeUndefined()
    await stage.pass(HOUR)
    expect(await countOf()).toBe(1)
    await put("no")
    await stage.pass(HOUR)
    await put("yes")
    await stage.pass(HOUR)
    expect(await countOf()).toBe(2)
  })

  it("enters who subscribes after they began to match", async () => {
    const { api } = stage.team
    const property = `cohort${++count}`
    const filter = { all: [{ field: `properties.${property}`, op: "is", value: "yes" }] }
    const segment = await api.post("/segments", { name: property, bookId: stage.bookId, filter })
    const id = await stage.addSequence({
      trigger: { on: "segment", segmentId: segment.body.id },
      steps: [{ key: "tell", kind: "notify" }],
    })
    await stage.pass()
    const matching = { properties: { [property]: "yes" }, subscribed: false }
    const contactId = await stage.addContact(address(), matching)
    await stage.pass(HOUR)
    expect(await stage.runOf(id, contactId)).toBeUndefined()
    await api.patch(`/contact-books/${stage.bookId}/contacts/${contactId}`, { subscribed: true })
    await stage.pass(HOUR)
    expect(await stage.runOf(id, contactId)).toMatchObject({ endedBy: "finished" })
  })
})

describe("an import", () => {
  it("enters only where the trigger names imports, and only who is subscribed", async () => {
    const steps = [{ key: "tell", kind: "notify" }]
    const named = await stage.addSequence({ trigger: { on: "subscribed", imports: true }, steps })
    const unnamed = await stage.addSequence({ trigger: { on: "subscribed" }, steps })
    const [joins, refuses] = [address(), address()]
    const csv = `email,subscribed\n${joins},true\n${refuses},false`
    const book = `/contact-books/${stage.bookId}`
    for (let times = 0; times < 2; times++) {
      await stage.team.api.post(`${book}/contacts/import`, { csv })
      await stage.pass()
    }
    const entered = async (id: string) =>
      (await stage.team.api.get(`/sequences/${id}`)).body.counts.entered
    expect([await entered(named), await entered(unnamed)]).toEqual([1, 0])
    const { body } = await stage.team.api.get(`${book}/contacts?q=${joins}`)
    expect(await stage.runOf(named, body.data[0].id)).toMatchObject({ endedBy: "finished" })
    for (const id of [named, unnamed]) await stage.team.api.post(`/sequences/${id}/archive`)
  })
})

it("mail whose window has closed since waits for the next opening", async () => {
  const { clock } = stage.driver
  const minute = (ahead: number) =>
    new Date(clock.now() + ahead * 60_000).toISOString().slice(11, 16)
  const window = { from: minute(-5), until: minute(5), zone: "UTC" }
  const contactId = await stage.addContact(address())
  const id = await stage.addSequence({ window, steps: [send("mail")] })
  await stage.start(id, contactId)
  await sweepSequences(stage.driver.work)
  expect(await stage.mailOf(id)).toMatchObject([{ sentAt: null }])
  const until = clock.now() + (24 * HOUR - 5) * 60_000
  await stage.pass(30)
  await stage.pass(HOUR)
  const [mail] = await stage.mailOf(id)
  expect(mail).toMatchObject({ status: "queued", sentAt: null })
  const ctx = createKeyCtx(stage.driver.work, sha256Hex(stage.team.api.key), "full")
  const explained = await explainEmail(ctx, mail?.id ?? "")
  expect(explained.summary).toMatch(/^Queued\. The sending window of the sequence opens at /)
  expect(Math.abs((explained.waitingFor?.until ?? 0) - until)).toBeLessThan(60_000)
  await stage.pass(23 * HOUR - 31)
  expect(await stage.mailOf(id)).toMatchObject([{ status: "delivered" }])
})

describe("mail that waits in the queue", () => {
  async function queue() {
    const id = await stage.addSequence({ steps: [send("mail")] })
    await stage.start(id, await stage.addContact(address()))
    await sweepSequences(stage.driver.work)
    const [mail] = await stage.mailOf(id)
    const path = `/emails/${mail?.id}`
    const move = (action: string) => stage.team.api.post(`/sequences/${id}/${action}`, {})
    return {
      id,
      path,
      move,
      explained: async () => (await stage.team.api.get(`${path}/explain`)).body,
    }
  }

  it.each([
    ["pause", "the sequence to be activated"],
    ["archive", "cancellation"],
  ])("is explained after %s", async (action, what) => {
    const { move, explained } = await queue()
    await move(action)
    expect((await explained()).waitingFor).toEqual({ what, until: null })
  })

  it("is held by a pause, and can be cancelled", async () => {
    const { id, path, move, explained } = await queue()
    await move("pause")
    await stage.pass()
    const { summary, next } = await explained()
    expect([summary, next]).toEqual([
      "The sequence is paused.",
      [
        "To send it, call POST /sequences/:id/activate. To cancel it, call POST /emails/:id/cancel.",
      ],
    ])
    expect((await stage.team.api.post(`${path}/cancel`)).body.status).toBe("cancelled")
    await move("activate")
    await stage.pass(2)
    expect(await stage.mailOf(id)).toMatchObject([{ status: "cancelled" }])
  })
})

describe("a change of a sequence reaches who waits:", () => {
  const change = async (id: string, changes: object) => {
    const path = `/sequences/${id}`
    const { version } = (await stage.team.api.get(path)).body
    expect((await stage.team.api.patch(path, { version, ...changes })).status).toBe(200)
    await stage.pass()
  }

  it("of the window", async () => {
    const time = (ahead: number) =>
      new Date(stage.driver.clock.now() + ahead * 60_000).toISOString().slice(11, 16)
    const window = { from: time(120), until: time(180), zone: "UTC" }
    const contactId = await stage.addContact(address())
    const id = await stage.addSequence({ window, steps: [send("mail")] })
    await stage.start(id, contactId)
    await stage.pass()
    expect(await stage.mailOf(id)).toEqual([])
    await change(id, { window: null })
    expect(await stage.mailOf(id)).toHaveLength(1)
  })

  it("of the goal", async () => {
    const contactId = await stage.addContact(address(), { properties: { plan: "paid" } })
    const id = await stage.addSequence({ steps: [wait("pause"), send("mail")] })
    await stage.start(id, contactId)
    await stage.pass()
    await change(id, {
      goal: { all: [{ field: "properties.plan", op: "is", value: "paid" }] },
    })
    expect(await stage.runOf(id, contactId)).toMatchObject({ endedBy: "goal" })
  })
})

describe("events", () => {
  it("are kept for 90 days from when they happened", async () => {
    const contactId = await stage.addContact(address())
    const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const { body } = await stage.team.api.post("/events", [
      { name: "old", contactId, at: at(91) },
      { name: "young", contactId, at: at(89) },
    ])
    expect(body.data).toHaveLength(2)
    const namesOf = async () => {
      const path = `/contact-books/${stage.bookId}/contacts/${contactId}/events`
      return (await stage.team.api.get(path)).body.data.map((one: { name: string }) => one.name)
    }
    expect(await namesOf()).toEqual(["young", "old"])
    await purgeContactEvents({ ...stage.driver.work, now: Date.now })
    expect(await namesOf()).toEqual(["young"])
  })

  it.each(["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2999-01-01T00:00:00Z"])(
    "of %s are refused",
    async (at) => {
      const contactId = await stage.addContact(address())
      const { status, body } = await stage.team.api.post("/events", { name: "a", contactId, at })
      expect([status, body.error.details]).toMatchObject([400, [{ path: ["at"] }]])
    },
  )

  it("with one idempotency key in a list are one, or are refused", async () => {
    const contactId = await stage.addContact(address())
    const idempotencyKey = address()
    const paid = { name: "paid", contactId, idempotencyKey }
    const { status, body } = await stage.team.api.post("/events", [paid, paid])
    expect(status).toBe(202)
    expect(body.data[0]).toEqual(body.data[1])
    const path = `/contact-books/${stage.bookId}/contacts/${contactId}/events`
    expect((await stage.team.api.get(path)).body.data).toHaveLength(1)
    const again = await stage.team.api.post("/events", [{ ...paid, idempotencyKey: "" }, paid])
    expect(again.status).toBe(400)
    const other = { ...paid, name: "other", idempotencyKey: address() }
    const mixed = await stage.team.api.post("/events", [other, { ...other, name: "third" }])
    expect(mixed).toMatchObject({ status: 409, body: { error: { details: { index: 1 } } } })
    expect((await stage.team.api.get(path)).body.data).toHaveLength(1)
  })

  it("of a list that is refused add nobody", async () => {
    const { api } = stage.team
    const { bookId } = stage
    const [email, known] = [address(), await stage.addContact(address())]
    const added = { name: "joined", email, bookId }
    const taken = { name: "paid", contactId: known, idempotencyKey: address() }
    await api.post("/events", taken)
    const unknown = { name: "paid", contactId: "ct_1" }
    const other = { ...taken, name: "other" }
    const second = { error: { details: { index: 1 } } }
    expect(await api.post("/events", [added, unknown])).toMatchObject({ status: 404, body: second })
    expect(await api.post("/events", [added, other])).toMatchObject({ status: 409, body: second })
    const find = async () =>
      (await api.get(`/contact-books/${bookId}/contacts?q=${email}`)).body.data
    expect(await find()).toEqual([])
    const anywhere = { name: "again", email }
    expect((await api.post("/events", [added, anywhere])).status).toBe(202)
    expect(await find()).toMatchObject([{ email, subscribed: false, topics: {} }])
  })

  it("at the same time add an address once, with what it has chosen elsewhere", async () => {
    const { api } = stage.team
    const { body: topic } = await api.post("/topics", { name: "News" })
    const email = address()
    await stage.addContact(email, { topics: { [topic.id]: false } })
    const { body: book } = await api.post("/contact-books", { name: "Others" })
    const event = { name: "joined", email, bookId: book.id }
    const replies = await Promise.all(Array.from({ length: 5 }, () => api.post("/events", event)))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 202))
    const path = `/contact-books/${book.id}`
    const [contact] = (await api.get(`${path}/contacts`)).body.data
    expect(contact).toMatchObject({ email, topics: { [topic.id]: false } })
    expect((await api.get(path)).body).toMatchObject({ contactCount: 1, subscribedCount: 0 })
    const events = await api.get(`${path}/contacts/${contact.id}/events`)
    expect(events.body.data).toHaveLength(5)
    const history = await env.DB.prepare("select consents from contacts where id = ?")
      .bind(contact.id)
      .first<string>("consents")
    expect(JSON.parse(history ?? "[]")).toMatchObject([
      { by: "key", topicId: null, subscribed: false },
      { by: "other-book", topicId: topic.id, subscribed: false },
    ])
  })
})

it("a run whose sequence is lost takes no other run's place", async () => {
  const contactId = await stage.addContact(address())
  const id = await stage.addSequence({ steps: [wait("pause")] })
  await stage.start(id, contactId)
  await env.DB.prepare("delete from sequences where id = ?").bind(id).run()
  await stage.pass()
  const { results } = await env.DB.prepare("select id from sequence_runs where sequence_id = ?")
    .bind(id)
    .all()
  expect(results).toEqual([])
})

describe("a definition", () => {
  const nested = (levels: number): object => ({
    ...{ key: `s${levels}`, kind: "split" },
    parts: [1, 2].map((part) => ({
      weight: 1,
      steps: levels > 1 && part === 1 ? [nested(levels - 1)] : [],
    })),
  })
  it.each([
    ["with five levels is taken", [nested(5)], 201],
    ["with six levels is refused", [nested(6)], 400],
    ["with 100 steps is taken", Array.from({ length: 100 }, (_, n) => wait(`w${n}`)), 201],
    ["with 101 steps is refused", Array.from({ length: 101 }, (_, n) => wait(`w${n}`)), 400],
    [
      "with 101 steps on two levels is refused",
      [
        {
          ...nested(1),
          parts: [
            { weight: 1, steps: Array.from({ length: 50 }, (_, n) => wait(`a${n}`)) },
            { weight: 1, steps: Array.from({ length: 50 }, (_, n) => wait(`b${n}`)) },
          ],
        },
      ],
      400,
    ],
    ["with a key twice is refused", [wait("a"), { ...nested(1), key: "a" }], 400],
    ["with a key of 41 characters is refused", [wait("k".repeat(41))], 400],
    ["with a wait of 365 days is taken", [wait("a", "365d")], 201],
    ["with a longer wait is refused", [wait("a", "366d")], 400],
    [
      "that sets an unknown topic is refused",
      [{ key: "a", kind: "set", topics: { top_1: true } }],
      400,
    ],
  ])("%s", async (_, steps, status) => {
    const input = { ...sequenceInput(stage.team, stage.bookId), steps }
    expect((await stage.team.api.post("/sequences", input)).status).toBe(status)
  })
})
