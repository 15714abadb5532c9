import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import {
  preferencesUrl,
  unsubscribeUrl,
} from "../../../src/worker/contacts/links/recipient-link.ts"
import { placeOf } from "../../../src/worker/platform/db/databases.ts"
import { readSettings } from "../../../src/worker/platform/env.ts"
import { request } from "../../support/api.ts"
import { formOf, send } from "../../support/preference-form.ts"
import { sessionOf } from "../../support/session.ts"
import { makeTeam, type Team } from "../../support/team.ts"

const settings = readSettings(env)
const email = "ada@example.com"
const BROWSER = { accept: "text/html" }

async function makeBook({ api }: Team) {
  const { body } = await api.post("/contact-books", { name: "Readers" })
  return { id: body.id as string, contacts: `/contact-books/${body.id}/contacts` }
}

async function asPerson(team: Team) {
  const cookie = await sessionOf(team.id, "owner")
  return (method: string, path: string, body?: unknown) =>
    request(method, `/dashboard/api${path}`, body, { cookie })
}

it("keeps each change of consent: what, when, and by whom", async () => {
  const team = await makeTeam()
  const person = await asPerson(team)
  const me = (await person("GET", "/session")).body.user.id
  const key = (await team.api.get("/me")).body.key.id
  const news = (await team.api.post("/topics", { name: "News" })).body.id
  const book = await makeBook(team)
  const elsewhere = await makeBook(team)
  await team.api.post(elsewhere.contacts, { email, topics: { [news]: true } })
  const { body } = await team.api.post(book.contacts, { email })
  const path = `${book.contacts}/${body.id}`
  const link = { teamId: team.id, email, bookId: book.id, ...placeOf(env) }
  const unsubscribe = new URL(unsubscribeUrl(settings, link)).pathname
  const preferences = new URL(preferencesUrl(settings, link)).pathname
  const resubscribe = () => team.api.patch(path, { subscribed: true })

  await request("POST", unsubscribe, "List-Unsubscribe=One-Click")
  await resubscribe()
  await request("POST", unsubscribe, undefined, BROWSER)
  await resubscribe()
  await team.api.post(`${book.contacts}/import`, { csv: `email,subscribed\n${email},no` })
  await person("PATCH", path, { subscribed: true, topics: { [news]: null } })
  const form = formOf((await request("GET", preferences, undefined, BROWSER)).body)
  await send(preferences, form, { [book.id]: false, [news]: false })
  await team.api.patch(path, { firstName: "Ada" })

  const { data } = (await person("GET", `${path}/consents`)).body
  const seen = data.map((one: Record<string, unknown>) => [
    one.topicId === news ? "news" : one.topicId,
    one.subscribed,
    one.by,
    one.actorId,
  ])
  expect(seen.toReversed()).toEqual([
    [null, true, "key", key],
    ["news", true, "other-book", null],
    [null, false, "one-click", null],
    [null, true, "key", key],
    [null, false, "link", null],
    [null, true, "key", key],
    [null, false, "import", key],
    [null, true, "person", me],
    ["news", null, "person", me],
    [null, false, "preferences", null],
    ["news", false, "preferences", null],
  ])
  const times = data.map(({ at }: { at: string }) => at)
  expect(times).toEqual(times.toSorted().reverse())
})

it("keeps how an imported contact came, with the choices of other books", async () => {
  const team = await makeTeam()
  const person = await asPerson(team)
  const news = (await team.api.post("/topics", { name: "News" })).body.id
  const [first, second] = [await makeBook(team), await makeBook(team)]
  await team.api.post(first.contacts, { email, topics: { [news]: false } })
  const csv = `email,subscribed\n${email},\nbob@example.com,no`
  for (let times = 0; times < 2; times++) await person("POST", `${second.contacts}/import`, { csv })
  const { data } = (await team.api.get(second.contacts)).body
  const histories = new Map<string, unknown[]>()
  for (const contact of data) {
    const { body } = await person("GET", `${second.contacts}/${contact.id}/consents`)
    histories.set(
      contact.email,
      body.data.map(({ topicId, subscribed, by }: Record<string, unknown>) => [
        topicId,
        subscribed,
        by,
      ]),
    )
  }
  expect(Object.fromEntries(histories)).toEqual({
    [email]: [
      [news, false, "other-book"],
      [null, true, "import"],
    ],
    "bob@example.com": [[null, false, "import"]],
  })
})

it("keeps the first change and the newest ones of a link that is used without end", async () => {
  const team = await makeTeam()
  const book = await makeBook(team)
  const { body } = await team.api.post(book.contacts, { email })
  const entry = { topicId: null, subscribed: true, by: "preferences", actorId: null }
  const entries = Array.from({ length: 250 }, (_, index) => ({ at: index + 1, ...entry }))
  await env.DB.prepare("update contacts set consents = ? where team_id = ?")
    .bind(JSON.stringify(entries), team.id)
    .run()
  await team.api.post("/contacts/unsubscribe", { email })
  const person = await asPerson(team)
  const { data } = (await person("GET", `${book.contacts}/${body.id}/consents`)).body
  expect(data).toHaveLength(200)
  expect(data[0]).toMatchObject({ by: "key", subscribed: false })
  expect([data[1].at, data[199].at]).toEqual([
    new Date(250).toISOString(),
    new Date(1).toISOString(),
  ])
})

it("goes with an erasure", async () => {
  const team = await makeTeam()
  const person = await asPerson(team)
  const book = await makeBook(team)
  await team.api.post(book.contacts, { email })
  await person("POST", "/erasures", { email, confirm: email })
  const { results } = await env.DB.prepare("select consents from contacts where team_id = ?")
    .bind(team.id)
    .all()
  expect(results).toEqual([])
})
