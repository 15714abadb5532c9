import { env } from "cloudflare:workers"
import { beforeAll, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { createContact as contract } from "../../../src/worker/contacts/contract.ts"
import { createContact } from "../../../src/worker/contacts/create.ts"
import { unsubscribeUrl } from "../../../src/worker/contacts/links/recipient-link.ts"
import { readSettings } from "../../../src/worker/platform/env.ts"
import { request } from "../../support/api.ts"
import { eventually } from "../../support/eventually.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { makeTeam } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

const EVENTS = ["created", "updated", "unsubscribed", "resubscribed"].map((one) => `contact.${one}`)

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

async function makeListener() {
  const { api, id: teamId } = await makeTeam()
  const receiver = internet.receiver()
  expect((await api.post("/webhooks", { url: receiver.url, events: EVENTS })).status).toBe(201)
  const { body: book } = await api.post("/contact-books", { name: "Readers" })
  const contacts = `/contact-books/${book.id}/contacts`
  const told = () => receiver.received().map(({ body }) => JSON.parse(body))
  /** What the webhook was told, once a last event has followed it. */
  const allTold = async () => {
    const { body: last } = await api.post(contacts, { email: "last@example.com" })
    return eventually(() => {
      const events = told()
      expect(events.some(({ data }) => data.contact.id === last.id)).toBe(true)
      return events.filter(({ data }) => data.contact.id !== last.id)
    })
  }
  /** Events in the order in which they happened, with the contact of each, once all are told. */
  const stored = async () => {
    const { results } = await env.DB.prepare(
      "select type, data ->> '$.contact' as contact from events where team_id = ? order by sequence",
    )
      .bind(teamId)
      .all<{ type: string; contact: string }>()
    await eventually(() => expect(told()).toHaveLength(results.length))
    return results.map(({ type, contact }) => ({ type, contact: JSON.parse(contact) }))
  }
  return { api, teamId, contacts, book, told, allTold, stored }
}

it("each real change of a contact makes one event with the contact as a read shows it", async () => {
  const { api, contacts, told } = await makeListener()
  const { body: created } = await api.post(contacts, { email: "a@example.com" })
  const path = `${contacts}/${created.id}`
  const { body: renamed } = await api.patch(path, { firstName: "Ada" })
  await api.patch(path, { firstName: "Ada" })
  const { body: gone } = await api.patch(path, { subscribed: false, lastName: "Byron" })
  const { body: back } = await api.patch(path, { subscribed: true })
  await eventually(() => expect(told()).toHaveLength(4))
  const byType = new Map(told().map(({ type, data }) => [type, data]))
  expect(byType.get("contact.created")).toEqual({ contact: created })
  expect(byType.get("contact.updated")).toEqual({ contact: renamed })
  expect(byType.get("contact.unsubscribed")).toEqual({ contact: gone })
  expect(byType.get("contact.resubscribed")).toEqual({ contact: back })
})

it("unsubscribing an address makes one event for each contact that changed", async () => {
  const { api, contacts, allTold } = await makeListener()
  const { body: other } = await api.post("/contact-books", { name: "Other" })
  await api.post(contacts, { email: "a@example.com" })
  await api.post(`/contact-books/${other.id}/contacts`, { email: "a@example.com" })
  const unsubscribe = () => api.post("/contacts/unsubscribe", { email: "a@example.com" })
  await Promise.all([unsubscribe(), unsubscribe(), unsubscribe()])
  await unsubscribe()
  const types = (await allTold()).map(({ type }) => type)
  expect(types.filter((type) => type === "contact.unsubscribed")).toHaveLength(2)
})

it("an import, a refused contact and a removal make no event", async () => {
  const { api, contacts, allTold } = await makeListener()
  await api.post(`${contacts}/import`, { csv: "email\na@example.com\nb@example.com" })
  await api.post(`${contacts}/import`, { csv: "email,subscribed\na@example.com,no" })
  expect((await api.post(contacts, { email: "a@example.com" })).status).toBe(409)
  const { body } = await api.get(contacts)
  await api.delete(`${contacts}/${body.data[0].id}`)
  expect(await allTold()).toEqual([])
})

it("each of several parallel changes makes an event with its own result", async () => {
  const { api, contacts, stored } = await makeListener()
  const { body: created } = await api.post(contacts, { email: "a@example.com" })
  const path = `${contacts}/${created.id}`
  const changes = [
    { firstName: "Ada" },
    { lastName: "Byron" },
    { properties: { city: "London" } },
    { email: "b@example.com" },
    { subscribed: false },
    { subscribed: false },
  ]
  const replies = await Promise.all(changes.map((change) => api.patch(path, change)))
  expect(replies.map(({ status }) => status)).toEqual(changes.map(() => 200))
  const events = await stored()
  expect(events).toHaveLength(6)
  expect(events[0]?.contact).toEqual(created)
  for (const [index, { contact }] of events.slice(1).entries()) {
    const before = events[index]?.contact
    const changed = Object.keys(contact).filter(
      (field) => JSON.stringify(contact[field]) !== JSON.stringify(before[field]),
    )
    expect(changed).toContain("updatedAt")
    expect(changed.filter((field) => !/At$/.test(field))).toHaveLength(1)
  }
  expect((await api.get(path)).body).toEqual(events.at(-1)?.contact)
})

it("parallel changes of consent make one event each and keep the book's counts right", async () => {
  const { api, teamId, book, contacts, stored } = await makeListener()
  const emails = ["a@example.com", "b@example.com"]
  const ids = await Promise.all(
    emails.map(async (email) => (await api.post(contacts, { email })).body.id as string),
  )
  const linkOf = (email: string) =>
    new URL(unsubscribeUrl(readSettings(env), { teamId, email, bookId: book.id })).pathname
  const calls = ids.flatMap((id, index) => {
    const email = emails[index] as string
    const path = `${contacts}/${id}`
    return Array.from({ length: 6 }, (_, n) => [
      () => api.post("/contacts/unsubscribe", { email }),
      () => api.patch(path, { subscribed: true }),
      () => request("POST", linkOf(email)),
      () => api.patch(path, { subscribed: n % 2 === 0 }),
      () => api.patch(path, { firstName: `Ada ${n}` }),
    ]).flat()
  })
  const replies = await Promise.all(calls.map((call) => call()))
  expect(replies.map(({ status }) => status)).toEqual(calls.map(() => 200))

  const events = await stored()
  for (const id of ids) {
    const theirs = events.filter(({ contact }) => contact.id === id)
    expect(theirs.at(-1)?.contact).toEqual((await api.get(`${contacts}/${id}`)).body)
    for (const [index, { type, contact }] of theirs.slice(1).entries()) {
      const before = theirs[index]?.contact
      const flip = contact.subscribed ? "contact.resubscribed" : "contact.unsubscribed"
      expect(type).toBe(contact.subscribed === before.subscribed ? "contact.updated" : flip)
      expect(contact.updatedAt > before.updatedAt).toBe(true)
    }
  }
  const { body: page } = await api.get(contacts)
  expect((await api.get(`/contact-books/${book.id}`)).body).toMatchObject({
    contactCount: 2,
    subscribedCount: page.data.filter(({ subscribed }: { subscribed: boolean }) => subscribed)
      .length,
  })
})

it("every change moves updatedAt forward, even if the clock stands still", async () => {
  const { api, contacts, stored } = await makeListener()
  const { body: created } = await api.post(contacts, { email: "a@example.com" })
  const path = `${contacts}/${created.id}`
  const ahead = Date.now() + 60_000
  await env.DB.prepare("update contacts set updated_at = ? where id = ?")
    .bind(ahead, created.id)
    .run()
  await api.patch(path, { firstName: "Ada" })
  await api.post(`${contacts}/import`, { csv: "email,last_name\na@example.com,Byron" })
  await api.post("/contacts/unsubscribe", { email: "a@example.com" })
  const { body } = await api.get(path)
  expect(body).toMatchObject({ firstName: "Ada", lastName: "Byron", subscribed: false })
  expect(Date.parse(body.updatedAt)).toBe(ahead + 3)
  expect(await stored()).toHaveLength(3)
})

it("a contact for a book that is deleted meanwhile is not added and makes no event", async () => {
  const { api, teamId, stored } = await makeListener()
  let batches = 0
  let beforeBatch = async () => {}
  const DB = new Proxy(env.DB, {
    get(db, name) {
      if (name !== "batch") return Reflect.get(db, name).bind(db)
      return async (statements: D1PreparedStatement[]) => {
        batches++
        await beforeBatch()
        return db.batch(statements)
      }
    },
  })
  const add = async () => {
    const { body: book } = await api.post("/contact-books", { name: "Other" })
    const ctx = createKeyCtx(testWork({ settings: { DB } }).work, sha256Hex(api.key), "full")
    const input = contract.json.parse({ email: "a@example.com" })
    return { book, contact: () => createContact(ctx, book.id, input) }
  }
  await (await add()).contact()
  const last = batches
  const { book, contact } = await add()
  batches = 0
  beforeBatch = async () => {
    if (batches === last) await api.delete(`/contact-books/${book.id}`)
  }
  await expect(contact()).rejects.toMatchObject({ code: "not_found" })
  expect(await stored()).toHaveLength(1)
  const left = await env.DB.prepare("select * from contacts where team_id = ?").bind(teamId).all()
  expect(left.results).toHaveLength(1)
})
