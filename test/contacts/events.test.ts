import { env } from "cloudflare:workers"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { fakeInternet, type Internet } from "../support/internet.ts"
import { makeTeam } from "../support/team.ts"

const EVENTS = ["created", "updated", "unsubscribed", "resubscribed"].map((one) => `contact.${one}`)

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})
afterAll(() => internet.restore())

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
    return vi.waitFor(() => {
      const events = told()
      expect(events.some(({ data }) => data.contact.id === last.id)).toBe(true)
      return events.filter(({ data }) => data.contact.id !== last.id)
    }, 10_000)
  }
  /** Events in the order in which they happened, with the contact of each. */
  const stored = async () => {
    const { results } = await env.DB.prepare(
      "select type, data ->> '$.contact' as contact from events where team_id = ? order by sequence",
    )
      .bind(teamId)
      .all<{ type: string; contact: string }>()
    return results.map(({ type, contact }) => ({ type, contact: JSON.parse(contact) }))
  }
  return { api, contacts, told, allTold, stored }
}

it("each real change of a contact tells of itself, once, with the contact as it is read", async () => {
  const { api, contacts, told } = await makeListener()
  const { body: created } = await api.post(contacts, { email: "a@example.com" })
  const path = `${contacts}/${created.id}`
  const { body: renamed } = await api.patch(path, { firstName: "Ada" })
  await api.patch(path, { firstName: "Ada" })
  const { body: gone } = await api.patch(path, { subscribed: false, lastName: "Byron" })
  const { body: back } = await api.patch(path, { subscribed: true })
  await vi.waitFor(() => expect(told()).toHaveLength(4), 10_000)
  const byType = new Map(told().map(({ type, data }) => [type, data]))
  expect(byType.get("contact.created")).toEqual({ contact: created })
  expect(byType.get("contact.updated")).toEqual({ contact: renamed })
  expect(byType.get("contact.unsubscribed")).toEqual({ contact: gone })
  expect(byType.get("contact.resubscribed")).toEqual({ contact: back })
})

it("unsubscribing an address tells of each contact that changed, once", async () => {
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

it("an import, a refused contact and a removal tell of nothing", async () => {
  const { api, contacts, allTold } = await makeListener()
  await api.post(`${contacts}/import`, { csv: "email\na@example.com\nb@example.com" })
  await api.post(`${contacts}/import`, { csv: "email,subscribed\na@example.com,no" })
  expect((await api.post(contacts, { email: "a@example.com" })).status).toBe(409)
  const { body } = await api.get(contacts)
  await api.delete(`${contacts}/${body.data[0].id}`)
  expect(await allTold()).toEqual([])
})

it("of changes at once each tells of the contact as it left it", async () => {
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
