import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import {
  preferencesUrl,
  unsubscribeUrl,
} from "../../../src/worker/contacts/links/recipient-link.ts"
import { LANGUAGES } from "../../../src/worker/contacts/unsubscribe/texts.ts"
import { placeOf } from "../../../src/worker/platform/db/databases.ts"
import { readSettings } from "../../../src/worker/platform/env.ts"
import { type Api, request } from "../../support/api.ts"
import { LINK_ROUND_TRIPS } from "../../support/installation.ts"
import { metered } from "../../support/meter.ts"
import { makeOldMail, NEW_ADDRESS, OLD_ADDRESS } from "../../support/old-mail.ts"
import { formOf, send } from "../../support/preference-form.ts"
import { makeTeam, type Team } from "../../support/team.ts"

const settings = readSettings(env)
const email = "reader@example.com"
const BROWSER = { accept: "text/html" }

const pathOf = (team: Team, address = email, mail: { bookId?: string; emailId?: string } = {}) =>
  new URL(
    preferencesUrl(settings, {
      ...{ teamId: team.id, email: address, bookId: "cb_1" },
      ...mail,
      ...placeOf(env),
    }),
  ).pathname

const makeTopic = async (api: Api, input: object = {}): Promise<string> =>
  (await api.post("/topics", { name: "News", ...input })).body.id

async function makeContact(api: Api, name = "Readers", input: object = {}) {
  const book = (await api.post("/contact-books", { name })).body.id
  const { body } = await api.post(`/contact-books/${book}/contacts`, { email, ...input })
  return { book, path: `/contact-books/${book}/contacts/${body.id}` }
}

const read = async (api: Api, path: string) => (await api.get(path)).body
const open = async (path: string) => (await request("GET", path, undefined, BROWSER)).body as string

describe("the preference page", () => {
  it("shows every book that holds the address, and every topic of the team", async () => {
    const team = await makeTeam()
    const other = await makeTeam()
    const books = [
      await makeContact(team.api, "Readers"),
      await makeContact(team.api, "Authors <b>", { subscribed: false }),
    ]
    await team.api.post("/contact-books", { name: "Strangers" })
    await makeContact(other.api, "Elsewhere")
    const news = await makeTopic(team.api, { name: "News & offers", description: "Weekly" })
    const events = await makeTopic(team.api, { name: "Events", default: "unsubscribed" })
    let html = ""
    const meter = await metered(async () => {
      const page = await request("GET", pathOf(team), undefined, BROWSER)
      expect(page.status).toBe(200)
      html = page.body
      for (const [name, value] of [
        ["cache-control", "no-store"],
        ["referrer-policy", "no-referrer"],
        ["x-robots-tag", "noindex"],
      ] as const) {
        expect(page.headers.get(name)).toBe(value)
      }
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    })
    expect(meter).toMatchObject({ roundTrips: 1 + LINK_ROUND_TRIPS, rowsWritten: 0 })
    expect(formOf(html).boxes).toEqual({
      [books[0]?.book as string]: true,
      [books[1]?.book as string]: false,
      [news]: true,
      [events]: false,
    })
    for (const text of ["Authors &lt;b&gt;", "News &amp; offers", "Weekly", email]) {
      expect(html).toContain(text)
    }
    for (const text of ["Strangers", "Elsewhere", "<script", "Authors <b>"]) {
      expect(html).not.toContain(text)
    }
  })

  it("changes nothing when it is sent back untouched, also twice", async () => {
    const team = await makeTeam()
    const topic = await makeTopic(team.api)
    const chosen = await makeContact(team.api, "A", { topics: { [topic]: false } })
    const open_ = await makeContact(team.api, "B", { subscribed: false })
    const before = [await read(team.api, chosen.path), await read(team.api, open_.path)]
    const form = formOf(await open(pathOf(team)))
    for (let times = 0; times < 2; times++) {
      const meter = await metered(async () => {
        expect((await send(pathOf(team), form)).status).toBe(200)
      })
      expect(meter.rowsWritten).toBe(0)
    }
    expect([await read(team.api, chosen.path), await read(team.api, open_.path)]).toEqual(before)
  })

  it("keeps why and when somebody left a book whose choice of a topic changes", async () => {
    const team = await makeTeam()
    const news = await makeTopic(team.api)
    const { path } = await makeContact(team.api)
    await team.api.post("/contacts/unsubscribe", { email, reason: "Too many" })
    const { unsubscribedAt } = await read(team.api, path)
    await send(pathOf(team), formOf(await open(pathOf(team))), { [news]: false })
    expect(await read(team.api, path)).toMatchObject({
      unsubscribeReason: "Too many",
      unsubscribedAt,
      topics: { [news]: false },
    })
  })

  it("stores a choice of a topic in every book, and of a book in this one", async () => {
    const team = await makeTeam()
    const [news, offers] = [await makeTopic(team.api), await makeTopic(team.api)]
    const contacts = [await makeContact(team.api), await makeContact(team.api)]
    const form = formOf(await open(pathOf(team)))
    const [first, second] = contacts as [(typeof contacts)[0], (typeof contacts)[0]]
    const page = await send(pathOf(team), form, { [news]: false, [first.book]: false })
    expect(page.body).toContain("Your choices are saved.")
    expect(formOf(page.body).boxes).toEqual({
      [first.book]: false,
      [second.book]: true,
      [news]: false,
      [offers]: true,
    })
    expect(await read(team.api, first.path)).toMatchObject({
      subscribed: false,
      unsubscribeReason: "preferences",
      topics: { [news]: false },
    })
    expect(await read(team.api, second.path)).toMatchObject({
      subscribed: true,
      topics: { [news]: false },
    })
    await send(pathOf(team), formOf(page.body), { [first.book]: true, [news]: true })
    expect(await read(team.api, first.path)).toMatchObject({
      subscribed: true,
      unsubscribedAt: null,
      topics: { [news]: true },
    })
    const added = await makeContact(team.api)
    expect(await read(team.api, added.path)).toMatchObject({ topics: { [news]: true } })
  })

  it("does not undo a change that was made after it was opened", async () => {
    const team = await makeTeam()
    const [news, offers] = [await makeTopic(team.api), await makeTopic(team.api)]
    const { book, path } = await makeContact(team.api)
    const form = formOf(await open(pathOf(team)))
    await team.api.patch(path, { subscribed: false, topics: { [news]: false } })
    const page = await send(pathOf(team), form, { [offers]: false })
    expect(page.status).toBe(200)
    expect(await read(team.api, path)).toMatchObject({
      subscribed: false,
      topics: { [news]: false, [offers]: false },
    })
    expect((await read(team.api, `/contact-books/${book}`)).subscribedCount).toBe(0)
  })

  it("keeps a no that came after a yes was shown, and says so", async () => {
    const team = await makeTeam()
    const topic = await makeTopic(team.api, { default: "unsubscribed" })
    const { book, path } = await makeContact(team.api, "Readers", { subscribed: false })
    const form = formOf(await open(pathOf(team)))
    await send(pathOf(team), form, { [book]: true, [topic]: true })
    expect(await read(team.api, path)).toMatchObject({
      subscribed: true,
      topics: { [topic]: true },
    })
    await team.api.post("/contacts/unsubscribe", { email })
    await team.api.patch(path, { topics: { [topic]: false } })
    const page = await send(pathOf(team), form, { [book]: true, [topic]: true })
    expect(page.body).toContain("Something had changed")
    expect(await read(team.api, path)).toMatchObject({
      subscribed: false,
      topics: { [topic]: false },
    })
  })

  it("ends all subscriptions with one button, and leaves the topics", async () => {
    const team = await makeTeam()
    const topic = await makeTopic(team.api)
    const contacts = [await makeContact(team.api), await makeContact(team.api)]
    const form = formOf(await open(pathOf(team)))
    await send(pathOf(team), { ...form, more: { stop: "all" } })
    for (const { path } of contacts) {
      expect(await read(team.api, path)).toMatchObject({ subscribed: false, topics: {} })
    }
    expect(formOf(await open(pathOf(team))).boxes[topic]).toBe(true)
  })

  it("fires the events of what changed", async () => {
    const team = await makeTeam()
    const topic = await makeTopic(team.api)
    const { book } = await makeContact(team.api)
    const events = ["contact.updated", "contact.unsubscribed", "contact.resubscribed"]
    await team.api.post("/webhooks", { url: "https://receiver.example.com/hook", events })
    for (const change of [{ [topic]: false }, { [book]: false }, { [book]: true }]) {
      await send(pathOf(team), formOf(await open(pathOf(team))), change)
    }
    const { results } = await env.DB.prepare(
      "select type from events where team_id = ? order by sequence",
    )
      .bind(team.id)
      .all()
    expect(results.map(({ type }) => type)).toEqual(events)
  })

  it("ignores what it did not show", async () => {
    const team = await makeTeam()
    const { book, path } = await makeContact(team.api, "Readers", { subscribed: false })
    const before = await read(team.api, path)
    for (const body of [
      `on=${book}`,
      `shown=${book}&on=${book}`,
      `shown=${book}.0&on=${book}`,
      `shown=${book}.0.zzz&on=${book}`,
      "shown=top_none.0.0&on=top_none",
      "",
    ]) {
      const headers = { ...BROWSER, "content-type": "application/x-www-form-urlencoded" }
      expect((await request("POST", pathOf(team), body, headers)).status).toBe(200)
    }
    expect(await read(team.api, path)).toEqual(before)
  })

  it("has nothing to choose for an address that no book holds", async () => {
    const team = await makeTeam()
    await makeTopic(team.api)
    const html = await open(pathOf(team, "stranger@example.com"))
    expect(html).toContain("gets no newsletters")
    expect(html).not.toContain("<form")
  })

  it("refuses a forged link and one of another page without a database call", async () => {
    const team = await makeTeam()
    const other = new URL(
      unsubscribeUrl(settings, { teamId: team.id, email, bookId: "cb_1", ...placeOf(env) }),
    )
    const stolen = other.pathname.replace("/unsubscribe/", "/preferences/")
    const meter = await metered(async () => {
      for (const path of ["/preferences/x", `${pathOf(team)}x`, stolen]) {
        for (const method of ["GET", "POST"]) {
          expect((await request(method, path, undefined, BROWSER)).status).toBe(404)
        }
      }
    })
    expect(meter.roundTrips).toBe(0)
  })

  it.each(LANGUAGES)("speaks %s", async (language) => {
    const team = await makeTeam()
    await makeContact(team.api)
    const headers = { ...BROWSER, "accept-language": language }
    const { body } = await request("GET", pathOf(team), undefined, headers)
    expect(body).toContain(`<html lang="${language}">`)
    expect(body).not.toContain("undefined")
  })
})

it("the preference page records a bounded number of changes a day, and a no always", async () => {
  const team = await makeTeam()
  const { book, path } = await makeContact(team.api)
  let changes = 0
  for (let isOn = false; changes < 30; isOn = !isOn) {
    await send(pathOf(team), formOf(await open(pathOf(team))), { [book]: isOn })
    if ((await read(team.api, path)).subscribed !== isOn) break
    changes++
  }
  expect(changes).toBe(21)
  await team.api.patch(path, { subscribed: true })
  await send(pathOf(team), formOf(await open(pathOf(team))), { [book]: false })
  expect(await read(team.api, path)).toMatchObject({ subscribed: false })
})

describe("the preference page of mail to a contact's old address", () => {
  async function makeMail() {
    const { team, emailId, book, ...mail } = await makeOldMail()
    const link = pathOf(team, OLD_ADDRESS, { bookId: book.id, emailId })
    return { ...mail, team, bookId: book.id as string, link }
  }

  it("has the books and topics of the contact at its new address", async () => {
    const { api, team, bookId, contacts, path, link } = await makeMail()
    const topic = await makeTopic(api)
    const more = await makeContact(api, "More", { email: NEW_ADDRESS })
    const rows = Array.from({ length: 300 }, (_, i) => `reader${i}@example.com`)
    await api.post(`${contacts}/import`, { csv: `email\n${rows.join("\n")}` })
    let html = ""
    const meter = await metered(async () => {
      html = await open(link)
    })
    expect(meter.roundTrips).toBe(1 + LINK_ROUND_TRIPS)
    expect(meter.rowsRead).toBeLessThan(50)
    expect(formOf(html).boxes).toEqual({ [bookId]: true, [more.book]: true, [topic]: true })
    await send(link, formOf(html), { [bookId]: false, [topic]: false })
    expect(await read(api, path)).toMatchObject({
      subscribed: false,
      unsubscribeReason: "preferences",
      topics: { [topic]: false },
    })
    expect(await read(api, more.path)).toMatchObject({ subscribed: true })
    const [campaign] = (await team.api.get("/campaigns")).body.data
    expect(campaign.counts.unsubscribed).toBe(1)
  })

  it("says only no for the new address", async () => {
    const { api, bookId, path, link } = await makeMail()
    const topic = await makeTopic(api, { default: "unsubscribed" })
    await api.patch(path, { subscribed: false })
    const html = await open(link)
    expect(html.match(/ disabled>/g)).toHaveLength(2)
    await send(link, formOf(html), { [bookId]: true, [topic]: true })
    expect(await read(api, path)).toMatchObject({ subscribed: false, topics: {} })
  })

  it("subscribes the contact with its own address, and not the one with the new address", async () => {
    const { api, bookId, contacts, path, link } = await makeMail()
    const { body: other } = await api.post(contacts, { email: OLD_ADDRESS, subscribed: false })
    await api.patch(path, { subscribed: false })
    await send(link, formOf(await open(link)), { [bookId]: true })
    expect(await read(api, `${contacts}/${other.id}`)).toMatchObject({ subscribed: true })
    expect(await read(api, path)).toMatchObject({ subscribed: false })
  })

  it("has one box for a book in which another contact has the old address now", async () => {
    const { api, bookId, contacts, path, link } = await makeMail()
    const { body: other } = await api.post(contacts, { email: OLD_ADDRESS, subscribed: false })
    const form = formOf(await open(link))
    expect(form.boxes).toEqual({ [bookId]: true })
    const before = await read(api, `${contacts}/${other.id}`)
    await send(link, form)
    expect(await read(api, `${contacts}/${other.id}`)).toEqual(before)
    await api.patch(`${contacts}/${other.id}`, { subscribed: true })
    await send(link, form, { [bookId]: false })
    for (const one of [path, `${contacts}/${other.id}`]) {
      expect(await read(api, one)).toMatchObject({ subscribed: false })
    }
    expect((await read(api, `/contact-books/${bookId}`)).subscribedCount).toBe(0)
  })

  it("has nothing to choose after the contact was deleted", async () => {
    const { api, contacts, path, link } = await makeMail()
    await api.delete(path)
    await api.post(contacts, { email: NEW_ADDRESS })
    expect(await open(link)).not.toContain("<form")
  })
})
