import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import {
  unsubscribeHeaders,
  unsubscribeUrl,
} from "../../../../src/worker/contacts/links/recipient-link.ts"
import { LANGUAGES, TEXTS } from "../../../../src/worker/contacts/unsubscribe/texts.ts"
import { placeOf } from "../../../../src/worker/platform/db/databases.ts"
import { readSettings } from "../../../../src/worker/platform/env.ts"
import { type Api, type Reply, request } from "../../../support/api.ts"
import { LINK_ROUND_TRIPS } from "../../../support/installation.ts"
import { metered } from "../../../support/meter.ts"
import { makeOldMail, NEW_ADDRESS, OLD_ADDRESS } from "../../../support/old-mail.ts"
import { makeTeam } from "../../../support/team.ts"

const BROWSER = { accept: "text/html,application/xhtml+xml", "accept-language": "de-CH,de;q=0.9" }
const settings = readSettings(env)
const pathOf = (teamId: string, email: string, bookId = "cb_1", emailId = "em_1") =>
  new URL(unsubscribeUrl(settings, { teamId, email, bookId, emailId, ...placeOf(env) })).pathname

async function makeSubscriber(api: Api, books = 1) {
  const email = "reader@example.com"
  const paths: string[] = []
  const bookIds: string[] = []
  for (let i = 0; i < books; i++) {
    const book = await api.post("/contact-books", { name: "Readers" })
    const path = `/contact-books/${book.body.id}/contacts`
    const contact = await api.post(path, { email })
    paths.push(`${path}/${contact.body.id}`)
    bookIds.push(book.body.id)
  }
  return { email, paths, bookIds, bookId: bookIds[0] as string }
}

describe("the unsubscribe link", () => {
  it("is in the headers of RFC 8058", () => {
    const url = unsubscribeUrl(settings, {
      teamId: "team_1",
      email: "a@example.com",
      bookId: "cb_1",
    })
    expect(url.startsWith(`${settings.BASE_URL}/unsubscribe/`)).toBe(true)
    expect(unsubscribeHeaders(url)).toEqual({
      "List-Unsubscribe": `<${url}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    })
  })

  it("fits a header for the longest valid address", () => {
    const email = `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`
    const id = "0".repeat(26)
    const ids = {
      teamId: `team_${id}`,
      bookId: `cb_${id}`,
      emailId: `em_${id}`,
      contactId: `ct_${id}`,
    }
    expect(unsubscribeUrl(settings, { email, ...ids }).length).toBeLessThan(900)
  })

  it("asks on GET, changes nothing, and links to the preferences", async () => {
    const { api, id } = await makeTeam()
    const { email, paths, bookId } = await makeSubscriber(api)
    const meter = await metered(async () => {
      const page = await request("GET", pathOf(id, email, bookId), undefined, BROWSER)
      expect(page.status).toBe(200)
      expect(page.headers.get("content-type")).toContain("text/html")
      expect(page.headers.get("cache-control")).toBe("no-store")
      expect(page.headers.get("referrer-policy")).toBe("no-referrer")
      expect(page.body).toContain('<html lang="de">')
      expect(page.body).toContain('<form method="post">')
      expect(page.body).toContain(email)
      expect(page.body).not.toContain("<script")
      const [, preferences = ""] = /href="[^"]*(\/preferences\/[^"]+)"/.exec(page.body) ?? []
      expect((await request("GET", preferences, undefined, BROWSER)).status).toBe(200)
    })
    expect(meter).toMatchObject({ roundTrips: 2 * (1 + LINK_ROUND_TRIPS), rowsWritten: 0 })
    expect((await api.get(paths[0] as string)).body.subscribed).toBe(true)
  })

  it.each([
    [
      "a form",
      { "content-type": "application/x-www-form-urlencoded" },
      "List-Unsubscribe=One-Click",
    ],
    [
      "multipart",
      { "content-type": "multipart/form-data; boundary=x" },
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
    ["no body", {}, undefined],
  ])(
    "ends the subscription of the campaign's book alone with one POST of %s, and again without harm",
    async (_, headers, body) => {
      const { api, id } = await makeTeam()
      const { email, paths, bookId } = await makeSubscriber(api, 2)
      for (let times = 0; times < 2; times++) {
        const reply = await request(
          "POST",
          pathOf(id, email, bookId),
          body,
          headers as Record<string, string>,
        )
        expect(reply.status).toBe(200)
        expect(reply.headers.get("set-cookie")).toBeNull()
      }
      const [first, second] = await Promise.all(
        paths.map(async (path) => (await api.get(path)).body),
      )
      expect(first).toMatchObject({ subscribed: false, unsubscribeReason: "one-click" })
      expect(second).toMatchObject({ subscribed: true, unsubscribeReason: null })
      expect((await api.get("/suppressions")).body.data).toEqual([])
    },
  )

  it("ends every book's subscription where the form says so", async () => {
    const { api, id } = await makeTeam()
    const { email, paths, bookId } = await makeSubscriber(api, 2)
    const form = { ...BROWSER, "content-type": "application/x-www-form-urlencoded" }
    const page = await request("GET", pathOf(id, email, bookId), undefined, BROWSER)
    expect(page.body).toContain('type="checkbox" name="everything"')
    await request("POST", pathOf(id, email, bookId), "everything=yes", form)
    for (const path of paths) expect((await api.get(path)).body.subscribed).toBe(false)
  })

  it("tells a browser that it is done", async () => {
    const { api, id } = await makeTeam()
    const { email, paths, bookId } = await makeSubscriber(api)
    const page = await request("POST", pathOf(id, email, bookId), undefined, BROWSER)
    expect(page.status).toBe(200)
    expect(page.body).toContain(TEXTS.de.done)
    const { body } = await api.get(paths[0] as string)
    expect(body).toMatchObject({ subscribed: false, unsubscribeReason: "link" })
  })

  const FORM = { ...BROWSER, "content-type": "application/x-www-form-urlencoded" }
  const undoOf = (html: string) => /name="undo" value="([^"]*)"/.exec(html)?.[1]

  it("opened again, says that it is done, and undoes it", async () => {
    const { api, id } = await makeTeam()
    const { email, paths, bookId } = await makeSubscriber(api)
    const path = pathOf(id, email, bookId)
    await request("POST", path)
    const page = await request("GET", path, undefined, BROWSER)
    expect(page.body).toContain(TEXTS.de.done)
    const undone = await request("POST", path, `undo=${undoOf(page.body)}`, FORM)
    expect(undone.body).toContain(TEXTS.de.undone)
    expect((await api.get(paths[0] as string)).body).toMatchObject({
      ...{ subscribed: true, unsubscribeReason: null, unsubscribedAt: null },
    })
    const again = await request("GET", path, undefined, BROWSER)
    expect(again.body).toContain(TEXTS.de.question)
  })

  it("undoes nothing after a later no, or without having been asked", async () => {
    const { api, id } = await makeTeam()
    const { email, paths, bookId } = await makeSubscriber(api)
    const path = pathOf(id, email, bookId)
    await request("POST", path)
    const undo = undoOf((await request("GET", path, undefined, BROWSER)).body)
    await api.patch(paths[0] as string, { subscribed: true })
    await api.patch(paths[0] as string, { subscribed: false })
    for (const value of [undo, "", "0"]) {
      const page = await request("POST", path, `undo=${value}`, FORM)
      expect(page.body).toContain(TEXTS.de.done)
    }
    expect((await api.get(paths[0] as string)).body.subscribed).toBe(false)
  })

  it("keeps the no of a contact that was deleted, for forms and imports", async () => {
    const { api, id } = await makeTeam()
    const { email, paths, bookId } = await makeSubscriber(api)
    await api.delete(paths[0] as string)
    const path = pathOf(id, email, bookId)
    expect((await request("GET", path, undefined, BROWSER)).body).toContain(TEXTS.de.question)
    await request("POST", path)
    expect((await request("GET", path, undefined, BROWSER)).body).toContain(TEXTS.de.done)
    const contacts = `/contact-books/${bookId}/contacts`
    await api.post(`${contacts}/import`, { csv: `email\n${email}\nother@example.com` })
    const { body } = await api.get(`${contacts}?subscribed=true`)
    expect(body.data).toMatchObject([{ email: "other@example.com" }])
  })

  it("unsubscribes from every book where its own was deleted", async () => {
    const { api, id } = await makeTeam()
    const { email, paths, bookId } = await makeSubscriber(api, 3)
    await api.delete(`/contact-books/${bookId}`)
    const path = pathOf(id, email, bookId)
    expect((await request("GET", path, undefined, BROWSER)).body).toContain(TEXTS.de.question)
    const done = await request("POST", path, undefined, BROWSER)
    for (const body of [done.body, (await request("GET", path, undefined, BROWSER)).body]) {
      expect(body).toContain(TEXTS.de.done)
      expect(body).not.toContain('name="undo"')
    }
    for (const one of paths.slice(1)) {
      expect((await api.get(one)).body).toMatchObject({ subscribed: false })
    }
  })

  it("records a bounded number of changes a day, and a no always", async () => {
    const { api, id } = await makeTeam()
    const { email, paths, bookId } = await makeSubscriber(api)
    const path = pathOf(id, email, bookId)
    let undos = 0
    for (let times = 0; times < 30; times++) {
      const { body } = await request("POST", path, undefined, BROWSER)
      expect((await api.get(paths[0] as string)).body.subscribed).toBe(false)
      const undo = undoOf(body)
      if (undo === undefined) break
      await request("POST", path, `undo=${undo}`, FORM)
      undos++
    }
    expect(undos).toBe(10)
    await api.patch(paths[0] as string, { subscribed: true })
    await request("POST", path)
    expect((await api.get(paths[0] as string)).body.subscribed).toBe(false)
  })

  it("answers every bad token with 404 and the same body", async () => {
    const path = pathOf("team_1", "a@example.com")
    const [, body = "", signature = ""] = /\/([\w-]+)\.([\w-]+)$/.exec(path) ?? []
    const last = signature.at(-1) === "A" ? "B" : "A"
    const otherPurpose = unsubscribeUrl(
      { ...settings, SIGNING_KEY: "another key that is long enough to sign" },
      { teamId: "team_1", email: "a@example.com", bookId: "cb_1" },
    ).split("/unsubscribe/")[1]
    const tokens = [
      "x",
      body,
      `${body}.`,
      `.${signature}`,
      `${body}.${signature}.x`,
      `${body}.${signature}%20`,
      `${body}.${signature.slice(0, -1)}${last}`,
      `${body}x.${signature}`,
      `${Buffer.from('{"teamId":"team_2","email":"a@example.com"}').toString("base64url")}.${signature}`,
      "%E0%A4%A",
      otherPurpose,
    ]
    let replies: Reply[] = []
    const meter = await metered(async () => {
      replies = await Promise.all(
        tokens.flatMap((token) =>
          ["GET", "POST"].map((method) => request(method, `/unsubscribe/${token}`)),
        ),
      )
    })
    expect(meter.roundTrips).toBe(0)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([404]))
    expect(new Set(replies.map((reply) => reply.body)).size).toBe(1)
    expect((await request("GET", path)).status).toBe(200)
  })

  it("escapes the address in the page", async () => {
    const page = await request("GET", pathOf("team_1", "<b>&@example.com"))
    expect(page.body).toContain("&lt;b&gt;&amp;@example.com")
  })

  it("answers other methods 405", async () => {
    const { status, headers } = await request("DELETE", pathOf("team_1", "a@example.com"))
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, POST"])
  })
})

describe("the unsubscribe link in mail to a contact's old address", () => {
  async function makeMail() {
    const { team, emailId, ...mail } = await makeOldMail()
    const click = (form?: string) =>
      request("POST", pathOf(team.id, OLD_ADDRESS, mail.book.id, emailId), form, {
        "content-type": "application/x-www-form-urlencoded",
      })
    const isSubscribed = async (to: string) => (await mail.api.get(to)).body.subscribed
    return { ...mail, click, isSubscribed }
  }

  it("unsubscribes the contact at its new address", async () => {
    const { api, path, click, isSubscribed } = await makeMail()
    expect((await click()).status).toBe(200)
    expect(await isSubscribed(path)).toBe(false)
    const [campaign] = (await api.get("/campaigns")).body.data
    expect(campaign.counts.unsubscribed).toBe(1)
  })

  it("unsubscribes the contact at its new address also when the email is purged", async () => {
    const { team, api, emailId, book, path } = await makeOldMail()
    await env.DB.prepare("delete from emails where id = ?").bind(emailId).run()
    const link = {
      ...{ teamId: team.id, email: OLD_ADDRESS, bookId: book.id, emailId },
      contactId: path.split("/").at(-1) as string,
      ...placeOf(env),
    }
    const { pathname } = new URL(unsubscribeUrl(settings, link))
    expect((await request("POST", pathname)).status).toBe(200)
    expect((await api.get(path)).body.subscribed).toBe(false)
  })

  it("reads few rows of a large book", async () => {
    const { api, contacts, path, click, isSubscribed } = await makeMail()
    const rows = Array.from({ length: 300 }, (_, i) => `reader${i}@example.com`)
    await api.post(`${contacts}/import`, { csv: `email\n${rows.join("\n")}` })
    const meter = await metered(click)
    expect(meter.rowsRead).toBeLessThan(100)
    expect(await isSubscribed(path)).toBe(false)
  })

  it("also unsubscribes another contact that has the old address now", async () => {
    const { api, book, contacts, path, click, isSubscribed } = await makeMail()
    const other = await api.post(contacts, { email: OLD_ADDRESS })
    const neighbour = await api.post(contacts, { email: "neighbour@example.com" })
    await click()
    expect(await isSubscribed(path)).toBe(false)
    expect(await isSubscribed(`${contacts}/${other.body.id}`)).toBe(false)
    expect(await isSubscribed(`${contacts}/${neighbour.body.id}`)).toBe(true)
    expect((await api.get(`/contact-books/${book.id}`)).body.subscribedCount).toBe(1)
  })

  it("ends every book's subscription of both addresses where the form says so", async () => {
    const { api, path, click, isSubscribed } = await makeMail()
    const { body: book } = await api.post("/contact-books", { name: "More" })
    const contacts = `/contact-books/${book.id}/contacts`
    const [before, now] = [
      await api.post(contacts, { email: OLD_ADDRESS }),
      await api.post(contacts, { email: NEW_ADDRESS }),
    ]
    await click()
    expect(await isSubscribed(`${contacts}/${now.body.id}`)).toBe(true)
    await api.patch(path, { subscribed: true })
    await click("everything=yes")
    for (const id of [before.body.id, now.body.id]) {
      expect(await isSubscribed(`${contacts}/${id}`)).toBe(false)
    }
    expect(await isSubscribed(path)).toBe(false)
  })

  it("cannot subscribe the new address", async () => {
    const { path, click, isSubscribed } = await makeMail()
    await click()
    const page = await click("undo=0")
    expect(page.body).not.toContain('name="undo"')
    expect(await isSubscribed(path)).toBe(false)
  })

  it("leaves the contact of another address alone after the contact was deleted", async () => {
    const { api, contacts, path, click, isSubscribed } = await makeMail()
    await api.delete(path)
    const { body } = await api.post(contacts, { email: NEW_ADDRESS })
    expect((await click()).status).toBe(200)
    expect(await isSubscribed(`${contacts}/${body.id}`)).toBe(true)
  })
})

describe("the page's language", () => {
  it.each([
    [undefined, "en"],
    ["*", "en"],
    ["xx", "en"],
    ["fr", "fr"],
    ["FR-ca", "fr"],
    ["xx, es;q=0.5", "es"],
    ["it;q=0.2, nl;q=0.8", "nl"],
    ["de;q=0, pl", "pl"],
    ["pt-BR,pt;q=0.9,en;q=0.8", "pt"],
    ["ja-JP", "ja"],
    ["garbage;;q=,", "en"],
  ])("of %s is %s", async (header, language) => {
    const headers = header === undefined ? {} : { "accept-language": header }
    const page = await request("GET", pathOf("team_1", "a@example.com"), undefined, headers)
    expect(page.body).toContain(`<html lang="${language}">`)
    expect(page.headers.get("vary")).toContain("accept-language")
  })

  it("is one of English and at least five others, each complete", () => {
    expect(LANGUAGES).toContain("en")
    expect(LANGUAGES.length).toBeGreaterThanOrEqual(6)
    for (const language of LANGUAGES) {
      const texts = Object.values(TEXTS[language])
      expect(new Set(texts).size, language).toBe(10)
      expect(
        texts.every((text) => text.trim().length > 3),
        language,
      ).toBe(true)
    }
  })
})
