import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { sweepDeletedTopics } from "../../../src/worker/topics/delete.ts"
import type { Api } from "../../support/api.ts"
import { makeTeam } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

const email = "reader@example.com"

async function makeTopic(api: Api, name = "News"): Promise<string> {
  return (await api.post("/topics", { name })).body.id
}

async function makeContact(api: Api, contact: object = {}) {
  const book = (await api.post("/contact-books", { name: "Readers" })).body.id
  const path = `/contact-books/${book}/contacts`
  const { body, status } = await api.post(path, { email, ...contact })
  return { book, path: `${path}/${body.id}`, body, status }
}

it("keeps the choices of a contact, and merges those of a change", async () => {
  const { api } = await makeTeam()
  const [news, offers] = [await makeTopic(api), await makeTopic(api)]
  const { path, body } = await makeContact(api, { topics: { [news]: false } })
  expect(body.topics).toEqual({ [news]: false })
  const merged = await api.patch(path, { topics: { [offers]: true } })
  expect(merged.body.topics).toEqual({ [news]: false, [offers]: true })
  const back = await api.patch(path, { topics: { [news]: null, [offers]: false } })
  expect(back.body.topics).toEqual({ [offers]: false })
  expect((await api.get(path)).body).toEqual(back.body)
  expect((await api.get(path.slice(0, path.lastIndexOf("/")))).body.data).toEqual([back.body])
  const same = await api.patch(path, { topics: { [news]: null } })
  expect(same.body.updatedAt).toBe(back.body.updatedAt)
})

it("refuses unknown topics, and those of another team", async () => {
  const { api } = await makeTeam()
  const other = await makeTeam()
  const theirs = await makeTopic(other.api)
  const { path, book } = await makeContact(api)
  for (const id of [theirs, newId("topic"), "nonsense", "__proto__"]) {
    const topics = JSON.parse(`{"${id}":true}`)
    const input = { email: "b@example.com", topics }
    const created = await api.post(`/contact-books/${book}/contacts`, input)
    expect([created.status, created.body.error?.code], id).toEqual([400, "validation_error"])
    expect((await api.patch(path, { topics })).status, id).toBe(400)
  }
  const nothing = await api.post(`/contact-books/${book}/contacts`, { email, topics: { a: null } })
  expect(nothing.status).toBe(400)
  expect((await api.get(`/contact-books/${book}`)).body.contactCount).toBe(1)
})

it("gives a new contact of an address the choices that it has made in other books", async () => {
  const { api } = await makeTeam()
  const [news, offers, events] = [await makeTopic(api), await makeTopic(api), await makeTopic(api)]
  await makeContact(api, { topics: { [news]: true, [offers]: true } })
  await makeContact(api, { topics: { [news]: false, [events]: false } })
  const added = await makeContact(api, { topics: { [events]: true } })
  expect(added.body.topics).toEqual({ [news]: false, [offers]: true, [events]: true })
  const book = (await api.post("/contact-books", { name: "Imported" })).body.id
  const csv = `email\n${email}\nother@example.com`
  await api.post(`/contact-books/${book}/contacts/import`, { csv })
  const { data } = (await api.get(`/contact-books/${book}/contacts`)).body
  expect(Object.fromEntries(data.map((one: typeof added.body) => [one.email, one.topics]))).toEqual(
    { [email]: { [news]: false, [offers]: true, [events]: false }, "other@example.com": {} },
  )
  const renamed = await makeContact(api, { email: "old@example.com", topics: { [news]: true } })
  const { body } = await api.patch(renamed.path, { email })
  expect(body.topics).toEqual({ [news]: false, [offers]: true, [events]: false })
  const chosen = await makeContact(api, { email: "chosen@example.com" })
  const changed = await api.patch(chosen.path, { email, topics: { [news]: true } })
  expect(changed.body.topics).toEqual({ [news]: true, [offers]: true, [events]: false })
})

it("deletes the choices of a deleted topic, a round at a time", async () => {
  const { api, id: teamId } = await makeTeam()
  const [news, offers] = [await makeTopic(api), await makeTopic(api)]
  const { book, path } = await makeContact(api, { topics: { [news]: false, [offers]: true } })
  const rows = Array.from({ length: 2_500 }, (_, i) => ({
    id: newId("contact"),
    email: `reader${i}@example.com`,
  }))
  await env.DB.prepare(
    `insert into contacts (team_id, book_id, id, email, topics, created_at, updated_at)
     select ?1, ?2, value ->> 'id', value ->> 'email', json_object(?3, json('false')), 0, 0
     from json_each(?4)`,
  )
    .bind(teamId, book, news, JSON.stringify(rows))
    .run()
  const left = () =>
    env.DB.prepare("select count(*) as n from contacts where team_id = ? and topics ->> ? = 0")
      .bind(teamId, news)
      .first("n")
  await api.delete(`/topics/${news}`)
  expect(await left()).toBe(1_501)
  expect((await api.patch(path, { topics: { [news]: true } })).status).toBe(400)
  await sweepDeletedTopics(testWork().work)
  expect(await left()).toBe(0)
  expect((await api.get(path)).body.topics).toEqual({ [offers]: true })
  const waiting = await env.DB.prepare("select 1 from deleted_topics where team_id = ?")
    .bind(teamId)
    .all()
  expect(waiting.results).toEqual([])
})

it("tells webhooks of a contact's topics", async () => {
  const { api, id } = await makeTeam()
  const topic = await makeTopic(api)
  await api.post("/webhooks", {
    url: "https://receiver.example.com/hook",
    events: ["contact.created", "contact.updated", "contact.unsubscribed"],
  })
  const { path } = await makeContact(api, { topics: { [topic]: true } })
  await api.patch(path, { topics: { [topic]: false } })
  await api.patch(path, { topics: { [topic]: null }, subscribed: false })
  const { results } = await env.DB.prepare(
    "select type, data ->> '$.contact.topics' as topics from events where team_id = ? order by sequence",
  )
    .bind(id)
    .all()
  expect(results).toEqual([
    { type: "contact.created", topics: `{"${topic}":true}` },
    { type: "contact.updated", topics: `{"${topic}":false}` },
    { type: "contact.unsubscribed", topics: "{}" },
  ])
})

it("keeps all choices of changes that race", async () => {
  const { api } = await makeTeam()
  const topics = await Promise.all(Array.from({ length: 8 }, () => makeTopic(api)))
  const { path } = await makeContact(api)
  await Promise.all(topics.map((id, i) => api.patch(path, { topics: { [id]: i % 2 === 0 } })))
  expect((await api.get(path)).body.topics).toEqual(
    Object.fromEntries(topics.map((id, i) => [id, i % 2 === 0])),
  )
})
