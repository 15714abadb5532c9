import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { cutNetwork } from "../../../src/lib/network.ts"
import {
  forgetConfirmationMails,
  sweepConfirmations,
} from "../../../src/worker/contacts/confirmation/sweep.ts"
import { confirmUrl } from "../../../src/worker/contacts/links/recipient-link.ts"
import { readFormFacts } from "../../../src/worker/forms/facts.ts"
import { submit } from "../../../src/worker/forms/submit.ts"
import { placeOf } from "../../../src/worker/platform/db/databases.ts"
import { readSettings } from "../../../src/worker/platform/env.ts"
import { type Reply, request } from "../../support/api.ts"
import { eventually } from "../../support/eventually.ts"
import { directory } from "../../support/installation.ts"
import { metered } from "../../support/meter.ts"
import { fakeOutside } from "../../support/outside.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { directoryWork, testWork } from "../../support/work.ts"

const DAY_MS = 86_400_000
const settings = readSettings(env)
let addresses = 0
const newAddress = () =>
  `stranger-${++addresses}-${Math.random().toString(36).slice(2)}@example.com`

async function makeForm(team: Team, change: object = {}) {
  const { body: book } = await team.api.post("/contact-books", {
    name: "Readers",
    defaultFrom: `News <news@${team.domain}>`,
  })
  const input = { bookId: book.id, name: "Newsletter", wording: "Send me news." }
  const { body: form, status } = await team.api.post("/forms", { ...input, ...change })
  expect(status, JSON.stringify(form)).toBe(201)
  return { ...form, contacts: `/contact-books/${book.id}/contacts` } as {
    id: string
    bookId: string
    contacts: string
  }
}

const mailOf = (subject: string, html = "Hello") => ({ subject, blocks: [{ kind: "text", html }] })

const post = (formId: string, body: unknown, headers: Record<string, string> = {}) =>
  request("POST", `/f/${formId}`, body, headers)

const postForm = (formId: string, fields: Record<string, string>, headers = {}) =>
  post(formId, new URLSearchParams(fields).toString(), {
    "content-type": "application/x-www-form-urlencoded",
    accept: "text/html",
    ...headers,
  })

async function contactOf(team: Team, { contacts }: { contacts: string }, email: string) {
  const { body } = await team.api.get(`${contacts}?q=${encodeURIComponent(email)}`)
  return body.data[0]
}

/** The mail that asked an address, oldest first. */
const mailTo = async (team: Team, email: string) =>
  (await team.api.get(`/emails?to=${encodeURIComponent(email)}`)).body.data.toReversed()

const untilAsked = (team: Team, email: string, times = 1) =>
  eventually(async () => {
    const mail = await mailTo(team, email)
    expect(mail).toHaveLength(times)
    return mail
  })

interface Asked {
  id: string
  contact_id: string
  book_id: string
  asked_at: number
}

async function linksOf(team: Team, email: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `select q.* from confirmations q join contacts c on c.team_id = q.team_id and c.book_id = q.book_id
       and c.id = q.contact_id where q.team_id = ? and c.email = ? order by q.id`,
  )
    .bind(team.id, email)
    .all<Asked>()
  return results.map(({ id, contact_id: contactId, book_id: bookId }) => {
    const link = { teamId: team.id, bookId, contactId, id, email, ...placeOf(env) }
    return new URL(confirmUrl(settings, link)).pathname
  })
}

async function ask(team: Team, change: object = {}, posted: object = {}) {
  const form = await makeForm(team, change)
  const email = newAddress()
  expect((await post(form.id, { email, ...posted })).status).toBe(202)
  const [link = ""] = await linksOf(team, email)
  return { form, email, link, read: () => contactOf(team, form, email) }
}

/** As if the last question had been asked that long ago. */
const passTime = (team: Team, ms: number) =>
  env.DB.prepare(
    `update confirmations set asked_at = asked_at - ?1, expires_at = expires_at - ?1 where team_id = ?2`,
  )
    .bind(ms, team.id)
    .run()

const rowsOf = async (team: Team) => {
  const tables = ["contacts", "confirmations", "emails", "events"]
  const counts = await env.DB.batch<{ n: number }>(
    tables.map((table) =>
      env.DB.prepare(`select count(*) as n from ${table} where team_id = ?`).bind(team.id),
    ),
  )
  return counts.map(({ results }) => results[0]?.n)
}

describe("a form", () => {
  it("has the address as its first field, and defaults", async () => {
    const team = await makeTeam()
    const form = await makeForm(team, { fields: [{ name: "city", label: "City" }] })
    expect((await team.api.get(`/forms/${form.id}`)).body).toMatchObject({
      fields: [
        { name: "email", label: "Email address", required: true, type: "email" },
        { name: "city", label: "City", required: false, type: "text" },
      ],
      ...{ topicIds: [], confirm: true, confirmation: null, doneUrl: null, origins: [] },
      ...{ enabled: true, hasTurnstile: false },
      counts: { asked: 0, confirmed: 0, medianSeconds: null },
    })
  })

  it("needs a book with a sender, and topics of the team", async () => {
    const { api } = await makeTeam()
    const { body: book } = await api.post("/contact-books", { name: "Readers" })
    const input = { bookId: book.id, name: "News", wording: "Send me news." }
    expect((await api.post("/forms", input)).status).toBe(409)
    expect((await api.post("/forms", { ...input, bookId: "cb_1" })).body.error.details).toEqual([
      { path: ["bookId"], message: "Contact book not found" },
    ])
    expect((await api.post("/forms", { ...input, topicIds: ["top_1"] })).status).toBe(400)
  })

  it.each([
    [
      "two fields of one name",
      {
        fields: [
          { name: "a", label: "A" },
          { name: "a", label: "B" },
        ],
      },
    ],
    ["a select without options", { fields: [{ name: "a", label: "A", type: "select" }] }],
    ["an address that is text", { fields: [{ name: "email", label: "A", type: "text" }] }],
    ["the name of the honeypot", { fields: [{ name: "your-website", label: "A" }] }],
    ["an origin with a path", { origins: ["https://example.com/a"] }],
    ["a script as the page after", { doneUrl: "javascript:alert(1)" }],
    [
      "a relative link in the mail",
      {
        confirmation: { subject: "A", blocks: [{ kind: "button", label: "B", url: "/confirm" }] },
      },
    ],
    ["an unknown name in the mail's subject", { confirmation: mailOf("Hi {{ name }}") }],
    ["the link in the mail's subject", { confirmation: mailOf("Hi {{ confirmUrl }}") }],
    ["an unknown name in the mail", { confirmation: mailOf("Hi", "Dear {{ name }}") }],
    ["braces without a pair in the mail", { confirmation: mailOf("Hi", "Dear {{ name") }],
    ["a subject of an empty merge field", { confirmation: mailOf("{{ firstName }}") }],
  ])("refuses %s", async (_, change) => {
    const team = await makeTeam()
    const { id, bookId } = await makeForm(team)
    const input = { bookId, name: "A", wording: "A", ...change }
    expect((await team.api.post("/forms", input)).status).toBe(400)
    expect((await team.api.patch(`/forms/${id}`, change)).status).toBe(400)
  })

  it("never shows its Turnstile secret, and stores it sealed", async () => {
    const team = await makeTeam()
    const form = await makeForm(team, { turnstileSecret: "1x-the-secret" })
    const read = await team.api.get(`/forms/${form.id}`)
    expect(read.body.hasTurnstile).toBe(true)
    const row = await env.DB.prepare("select * from forms where id = ?").bind(form.id).first()
    expect(JSON.stringify([read.body, row])).not.toContain("the-secret")
    const { body } = await team.api.patch(`/forms/${form.id}`, { turnstileSecret: null })
    expect(body.hasTurnstile).toBe(false)
  })

  it("keeps the sender of its book", async () => {
    const team = await makeTeam()
    const { id, bookId } = await makeForm(team)
    const book = `/contact-books/${bookId}`
    const refused = await team.api.patch(book, { name: "New", defaultFrom: null })
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"])
    expect((await team.api.get(book)).body).toMatchObject({
      name: "Readers",
      defaultFrom: `News <news@${team.domain}>`,
    })
    await team.api.delete(`/forms/${id}`)
    expect((await team.api.patch(book, { defaultFrom: null })).status).toBe(200)
    expect((await team.api.patch("/contact-books/none", { defaultFrom: null })).status).toBe(404)
  })

  it("goes with its book", async () => {
    const team = await makeTeam()
    const { id, bookId } = await makeForm(team)
    await team.api.delete(`/contact-books/${bookId}`)
    expect((await team.api.get(`/forms/${id}`)).status).toBe(404)
    expect((await post(id, { email: newAddress() })).status).toBe(404)
  })
})

describe("the page of a form", () => {
  it("shows fields and wording in the team's brand, without scripts", async () => {
    const team = await makeTeam()
    const brand = { linkColor: "#ffee00", logoUrl: "https://cdn.example.com/logo.png" }
    await env.DB.prepare("update teams set brand = ? where id = ?")
      .bind(JSON.stringify(brand), team.id)
      .run()
    const form = await makeForm(team, {
      doneUrl: "https://example.com/thanks?a=1",
      wording: "I agree <b>",
      fields: [
        { name: "firstName", label: "First & name" },
        { name: "plan", label: "Plan", type: "select", options: ["Small", "Large"] },
        { name: "terms", label: "Terms", type: "checkbox", required: true },
      ],
    })
    const page = await request("GET", `/f/${form.id}`)
    expect(page.status).toBe(200)
    for (const text of [
      "First &amp; name",
      'dir="auto">I agree &lt;b&gt;',
      '<option dir="auto">Small',
      "--accent:#ffee00",
    ]) {
      expect(page.body).toContain(text)
    }
    expect(page.body).not.toContain("<script")
    const policy = page.headers.get("content-security-policy")
    expect(policy).toContain("form-action 'self' http: https:;")
    expect(policy).toContain("img-src https://cdn.example.com;")
    const german = await request("GET", `/f/${form.id}`, undefined, { "accept-language": "de" })
    expect(german.body).toContain('<html lang="de">')
  })

  it.each(["frm_1", "frm_01ARZ3NDEKTSV4RRFFQ69G5FAV"])("is 404 for %s", async (id) => {
    expect((await request("GET", `/f/${id}`)).status).toBe(404)
    expect((await post(id, { email: newAddress() })).status).toBe(404)
  })

  it("is 404 once the form is disabled", async () => {
    const team = await makeTeam()
    const { id } = await makeForm(team, { enabled: false })
    expect((await request("GET", `/f/${id}`)).status).toBe(404)
    expect((await post(id, { email: newAddress() })).status).toBe(404)
    expect((await postForm(id, { email: newAddress() })).status).toBe(404)
  })

  it("names wrong fields, and keeps what was written", async () => {
    const team = await makeTeam()
    const { id } = await makeForm(team, {
      fields: [
        { name: "city", label: "City" },
        { name: "plan", label: "Plan", type: "select", options: ["Small"] },
        { name: "size", label: "Size", type: "select", options: ["Very  large"] },
      ],
    })
    const page = await postForm(id, { email: "nobody", city: "Köln <", plan: "Small" })
    expect(page.status).toBe(400)
    expect(page.body).toContain('aria-invalid="true"')
    expect(page.body).toContain('value="Köln &lt;"')
    expect(page.body).toContain('<option dir="auto" selected>Small')
    // Browsers post the text of an option with single blanks.
    const wrong = { email: newAddress(), plan: "Huge", city: 7, size: "Very large" }
    const reply = await post(id, wrong)
    expect(reply.body.error.details).toEqual([
      { path: ["city"], message: "Must be text" },
      { path: ["plan"], message: "Must be one of the options" },
    ])
  })
})

describe("a post", () => {
  it("is answered the same, whatever the address is", async () => {
    const team = await makeTeam()
    const form = await makeForm(team)
    const there = newAddress()
    const left = newAddress()
    const suppressed = newAddress()
    await team.api.post(form.contacts, { email: there })
    await team.api.post(form.contacts, { email: left, subscribed: false })
    await team.api.post("/suppressions", { email: suppressed })
    const replies: Reply[] = []
    for (const email of [newAddress(), there, left, suppressed, there]) {
      replies.push(await post(form.id, { email }))
    }
    replies.push(await post(form.id, { email: newAddress(), "your-website": "x" }))
    expect(new Set(replies.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    expect(replies[0]).toMatchObject({ status: 202, body: { accepted: true } })
    expect(await mailTo(team, there)).toEqual([])
    expect(await contactOf(team, form, suppressed)).toBeUndefined()
  })

  it("leads a browser to the page of the team", async () => {
    const team = await makeTeam()
    const form = await makeForm(team, { doneUrl: "https://example.com/thanks" })
    const reply = await postForm(form.id, { email: newAddress() })
    expect([reply.status, reply.headers.get("location")]).toEqual([
      303,
      "https://example.com/thanks",
    ])
    await team.api.patch(`/forms/${form.id}`, { doneUrl: null })
    const page = await postForm(form.id, { email: newAddress() })
    expect(page.status).toBe(202)
    expect(page.body).toContain("Check your inbox")
  })

  it("opens itself to the scripts of its origins alone", async () => {
    const team = await makeTeam()
    const { id } = await makeForm(team, { origins: ["https://shop.example"] })
    for (const [origin, allowed] of [
      ["https://shop.example", "https://shop.example"],
      ["https://evil.example", null],
    ] as const) {
      const preflight = await request("OPTIONS", `/f/${id}`, undefined, { origin })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get("access-control-allow-origin")).toBe(allowed)
      const reply = await post(id, { email: newAddress() }, { origin })
      expect(reply.headers.get("access-control-allow-origin")).toBe(allowed)
      const refused = await post(id, { email: "nobody" }, { origin })
      expect(refused.status).toBe(400)
      expect(refused.headers.get("access-control-allow-origin")).toBe(allowed)
    }
  })

  it("stores nothing that a program wrote into the hidden field", async () => {
    const team = await makeTeam()
    const form = await makeForm(team)
    const email = newAddress()
    await postForm(form.id, { email, "your-website": "https://spam.example" })
    expect(await contactOf(team, form, email)).toBeUndefined()
  })

  it("is limited to 10 a minute from an address", async () => {
    const team = await makeTeam()
    const { id } = await makeForm(team)
    const headers = { "cf-connecting-ip": `198.51.100.${addresses % 250}` }
    const replies: Awaited<ReturnType<typeof post>>[] = []
    for (let n = 0; n < 25; n++) replies.push(await post(id, { email: "nobody" }, headers))
    // A minute may end in between.
    expect(replies.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(20)
    const refused = replies.find(({ status }) => status !== 400)
    expect(refused?.status).toBe(429)
    expect(refused?.headers.get("access-control-allow-origin")).toBe("*")
  })

  it("asks Cloudflare about the Turnstile token", async () => {
    const team = await makeTeam()
    const { id } = await makeForm(team, { turnstileSecret: "secret-1" })
    const email = newAddress()
    expect((await post(id, { email })).status).toBe(400)
    const asked: string[] = []
    const outside = fakeOutside({
      "challenges.cloudflare.com": async (call) => {
        const body = await call.text()
        asked.push(body)
        if (body.includes("response=broken")) return new Response("<html>", { status: 502 })
        return Response.json({ success: body.includes("response=good") })
      },
    })
    try {
      const statusOf = async (token: string) =>
        (await post(id, { email, "cf-turnstile-response": token })).status
      expect(await statusOf("bad")).toBe(400)
      expect(await statusOf("broken")).toBe(503)
      expect(await statusOf("good")).toBe(202)
      expect(asked[0]).toBe("secret=secret-1&response=bad")
      const pageOf = async (fields: Record<string, string>) =>
        /<main>\s*<h1[^>]*>(.*)<\/h1>\s*<p>(.*)<\/p>/
          .exec((await postForm(id, fields)).body)
          ?.slice(1)
      const title = "The form was not sent"
      const reload = [title, "Go back, reload the page and fill in the form again."]
      expect(await pageOf({ email })).toEqual(reload)
      expect(await pageOf({ email, "cf-turnstile-response": "bad" })).toEqual(reload)
      expect(await pageOf({ email: "nobody" })).toEqual(reload)
      expect(await pageOf({ email, "cf-turnstile-response": "broken" })).toEqual([
        title,
        "Please try again in a minute.",
      ])
    } finally {
      outside.mockRestore()
    }
  })
})

describe("a confirmation", () => {
  it("subscribes by the button of the page, and by nothing before", async () => {
    const team = await makeTeam()
    const fields = [
      { name: "firstName", label: "Name" },
      { name: "city", label: "City" },
    ]
    const { form, email, link, read } = await ask(
      team,
      { fields },
      { firstName: "Ada", city: "London", unknown: "x" },
    )
    expect(await read()).toMatchObject({
      ...{ confirmation: "pending", confirmedAt: null, subscribed: false, unsubscribedAt: null },
      ...{ firstName: null, properties: {} },
    })
    const page = await request("GET", link)
    expect(page.status).toBe(200)
    for (const text of [email, "Send me news.", "<button"]) expect(page.body).toContain(text)
    expect((await read()).confirmation).toBe("pending")
    const done = await request("POST", link, undefined, { "cf-connecting-ip": "203.0.113.77" })
    expect(done.status).toBe(200)
    expect(await read()).toMatchObject({
      ...{ confirmation: "confirmed", confirmedAt: expect.any(String), subscribed: true },
      ...{ firstName: "Ada", properties: { city: "London" } },
    })
    expect((await request("POST", link)).status).toBe(200)
    const book = await team.api.get(`/contact-books/${form.bookId}`)
    expect(book.body).toMatchObject({ contactCount: 1, subscribedCount: 1 })
    const { counts } = (await team.api.get(`/forms/${form.id}`)).body
    expect(counts).toEqual({ asked: 1, confirmed: 1, medianSeconds: expect.any(Number) })
    const { id } = await read()
    const consent = await team.api.get(`${form.contacts}/${id}/consent`)
    expect(consent.body).toEqual({
      data: [
        {
          id: expect.stringMatching(/^cns_/),
          ...{ formId: form.id, wording: "Send me news.", topicIds: [], network: null },
          askedAt: expect.any(String),
          confirmedAt: (await read()).confirmedAt,
          confirmedNetwork: "203.0.113.0/24",
        },
      ],
      nextCursor: null,
    })
  })

  it("asks in one ordinary email, which repeats nothing that was written", async () => {
    const team = await makeTeam()
    const form = await makeForm(team, {
      fields: [{ name: "firstName", label: "Name" }],
      confirmation: {
        subject: "Please confirm, {{ firstName }}",
        blocks: [{ kind: "text", html: "Hello {{ firstName }} of {{ email }}" }],
      },
    })
    const email = newAddress()
    await post(form.id, { email, firstName: "Buy pills at spam.example" })
    const [mail] = await untilAsked(team, email)
    expect(mail).toMatchObject({ from: `News <news@${team.domain}>`, subject: "Please confirm," })
    const { body } = await team.api.get(`/sandbox/messages?emailId=${mail.id}&wait=30`)
    const [{ html, text }] = body.data
    const [link = ""] = await linksOf(team, email)
    for (const part of [html, text]) {
      expect(part).toContain(`${settings.BASE_URL}${link}`)
      expect(part).toContain(email)
      expect(part).not.toContain("pills")
      expect(part).not.toContain("confirmUrl")
    }
  })

  it("leads a browser to the page of the team", async () => {
    const team = await makeTeam()
    const { link } = await ask(team, { confirmedUrl: "https://example.com/welcome" })
    const page = await request("GET", link)
    expect(page.headers.get("content-security-policy")).toContain("'self' http: https:;")
    const reply = await request("POST", link)
    expect([reply.status, reply.headers.get("location")]).toEqual([
      303,
      "https://example.com/welcome",
    ])
  })

  it("knows only links that were signed for it", async () => {
    const team = await makeTeam()
    const { link } = await ask(team)
    const forged = link.replace(/.$/, (sign) => (sign === "A" ? "B" : "A"))
    expect((await request("POST", forged)).status).toBe(404)
    expect((await request("GET", "/confirm/x")).status).toBe(404)
  })

  const REFUSALS: Record<string, (team: Team, contact: string, email: string) => Promise<unknown>> =
    {
      "a call that unsubscribes": ({ api }, _, email) =>
        api.post("/contacts/unsubscribe", { email }),
      "a change by the API": ({ api }, contact) => api.patch(contact, { subscribed: false }),
      "an import": ({ api }, contact, email) =>
        api.post(`${contact.slice(0, contact.lastIndexOf("/"))}/import`, {
          csv: `email,subscribed\n${email},no`,
        }),
      "the deletion of the contact": ({ api }, contact) => api.delete(contact),
    }
  it.each(Object.entries(REFUSALS))("loses to a later no: %s", async (name, refuse) => {
    const team = await makeTeam()
    const { form, email, link, read } = await ask(team)
    const { id } = await read()
    await refuse(team, `${form.contacts}/${id}`, email)
    expect((await request("GET", link)).status).toBe(404)
    expect((await request("POST", link)).status).toBe(404)
    const contact = await read()
    if (name.startsWith("the deletion")) expect(contact).toBeUndefined()
    else {
      expect(contact).toMatchObject({ confirmation: null, subscribed: false })
      expect(contact.unsubscribedAt).not.toBeNull()
    }
    // A new question is asked a day later, and the first link stays void.
    await passTime(team, DAY_MS)
    await post(form.id, { email })
    const links = await linksOf(team, email)
    expect((await request("POST", link)).status).toBe(404)
    expect((await request("POST", links.at(-1) ?? "")).status).toBe(200)
    expect((await read()).subscribed).toBe(true)
  })

  it("is the only way of a pending contact to a yes", async () => {
    const team = await makeTeam()
    const { form, email, read } = await ask(team)
    const contact = `${form.contacts}/${(await read()).id}`
    const changed = await team.api.patch(contact, { subscribed: true })
    expect(changed.status).toBe(409)
    await team.api.post(`${form.contacts}/import`, { csv: `email,subscribed\n${email},yes` })
    expect(await read()).toMatchObject({ confirmation: "pending", subscribed: false })
  })

  it("asks an address that has said no, also where the form asks nobody", async () => {
    const team = await makeTeam()
    const form = await makeForm(team, { confirm: false })
    const fresh = newAddress()
    await post(form.id, { email: fresh })
    expect(await contactOf(team, form, fresh)).toMatchObject({
      ...{ subscribed: true, confirmation: null },
    })
    const left = newAddress()
    await team.api.post(form.contacts, { email: left, subscribed: false })
    const deleted = newAddress()
    const { body } = await team.api.post(form.contacts, { email: deleted, subscribed: false })
    await team.api.delete(`${form.contacts}/${body.id}`)
    for (const email of [left, deleted]) {
      await post(form.id, { email })
      expect(await contactOf(team, form, email)).toMatchObject({
        ...{ subscribed: false, confirmation: "pending" },
      })
      await untilAsked(team, email)
    }
    expect(await mailTo(team, fresh)).toEqual([])
  })

  it("subscribes to the form's topics, but to none that was refused since", async () => {
    const team = await makeTeam()
    const topicIds: string[] = []
    for (const name of ["A", "B"]) {
      const { body } = await team.api.post("/topics", { name, default: "unsubscribed" })
      topicIds.push(body.id)
    }
    const [a = "", b = ""] = topicIds
    const { form, link, read } = await ask(team, { topicIds })
    await team.api.patch(`${form.contacts}/${(await read()).id}`, { topics: { [b]: false } })
    expect((await request("POST", link)).status).toBe(200)
    expect((await read()).topics).toEqual({ [a]: true, [b]: false })
  })

  it("asks a subscribed contact for topics that it has not chosen", async () => {
    const team = await makeTeam()
    const { body: topic } = await team.api.post("/topics", { name: "A", default: "unsubscribed" })
    const form = await makeForm(team, { topicIds: [topic.id] })
    const email = newAddress()
    await team.api.post(form.contacts, { email, firstName: "Ada" })
    await post(form.id, { email })
    const read = () => contactOf(team, form, email)
    expect(await read()).toMatchObject({ subscribed: true, topics: {}, confirmation: null })
    const [link = ""] = await linksOf(team, email)
    await request("POST", link)
    expect(await read()).toMatchObject({
      ...{ subscribed: true, topics: { [topic.id]: true }, firstName: "Ada" },
    })
  })

  it("is asked for by the API, too", async () => {
    const team = await makeTeam()
    const form = await makeForm(team)
    const email = newAddress()
    const input = { email, firstName: "Ada", confirm: true }
    const { status, body } = await team.api.post(form.contacts, input)
    expect([status, body.confirmation, body.subscribed]).toEqual([201, "pending", false])
    await untilAsked(team, email)
    const [link = ""] = await linksOf(team, email)
    await request("POST", link)
    expect(await contactOf(team, form, email)).toMatchObject({
      ...{ subscribed: true, confirmation: "confirmed", firstName: "Ada" },
    })
    const { body: book } = await team.api.post("/contact-books", { name: "No sender" })
    const refused = await team.api.post(`/contact-books/${book.id}/contacts`, input)
    expect(refused.status).toBe(409)
  })

  it("tells webhooks of pending and confirmed contacts", async () => {
    const team = await makeTeam()
    await team.api.post("/webhooks", {
      url: "https://receiver.example.com/hook",
      events: ["contact.pending", "contact.confirmed"],
    })
    const { link } = await ask(team)
    await request("POST", link)
    const { results } = await env.DB.prepare(
      "select type, data ->> '$.contact.confirmation' as state from events where team_id = ? order by sequence",
    )
      .bind(team.id)
      .all()
    expect(results).toEqual([
      { type: "contact.pending", state: "pending" },
      { type: "contact.confirmed", state: "confirmed" },
    ])
  })
})

describe("limits of what a stranger can cause", () => {
  it("a thousand posts for one person make one mail and the rows of one", async () => {
    const team = await makeTeam()
    const { form, email } = await ask(team)
    await untilAsked(team, email)
    const before = await rowsOf(team)
    const { work } = testWork()
    const submission = { formId: form.id, email, submitted: {}, network: null }
    const first = await metered(() => submit(work, submission))
    for (let n = 0; n < 20; n++) {
      await Promise.all(Array.from({ length: 50 }, () => submit(work, submission)))
    }
    expect(await metered(() => submit(work, submission))).toEqual(first)
    expect(first).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(await rowsOf(team)).toEqual(before)
    expect(before).toEqual([1, 1, 1, 0])
  })

  it("a post that is late asks nobody who was subscribed meanwhile", async () => {
    const team = await makeTeam()
    const form = await makeForm(team)
    const email = newAddress()
    const { body } = await team.api.post(form.contacts, { email, subscribed: false })
    const { work } = testWork()
    const facts = await readFormFacts(work, form.id, email)
    await team.api.patch(`${form.contacts}/${body.id}`, { subscribed: true })
    await submit(work, { formId: form.id, email, submitted: {}, network: null }, facts)
    expect(await contactOf(team, form, email)).toMatchObject({
      ...{ subscribed: true, confirmation: null },
    })
    expect(await linksOf(team, email)).toEqual([])
  })

  it("parallel posts for a new person make one mail", async () => {
    const team = await makeTeam()
    const form = await makeForm(team)
    const email = newAddress()
    const replies = await Promise.all(Array.from({ length: 8 }, () => post(form.id, { email })))
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(202))
    await untilAsked(team, email)
    expect(await linksOf(team, email)).toHaveLength(1)
  })

  it("an address gets three of these mails a day, from all teams together", async () => {
    const email = newAddress()
    const teams = [await makeTeam(), await makeTeam()]
    for (const team of [...teams, ...teams]) {
      await post((await makeForm(team)).id, { email })
      await eventually(async () => {
        const row = await env.DB.prepare(
          "select count(*) as n from confirmations where team_id = ? and mail_due_at is not null",
        )
          .bind(team.id)
          .first()
        expect(row).toEqual({ n: 0 })
      })
    }
    const mail = await Promise.all(teams.map((team) => mailTo(team, email)))
    expect(mail.flat()).toHaveLength(3)
    const count = () =>
      directory.prepare("select count(*) as n from confirmation_mails").first<{ n: number }>()
    expect((await count())?.n).toBeGreaterThanOrEqual(3)
    const clock = { now: () => Date.now() + 2 * DAY_MS, advance: () => {} }
    await forgetConfirmationMails(directoryWork({ clock }))
    expect((await count())?.n).toBe(0)
  })
})

describe("the sweep", () => {
  const sweepIn = async (days: number) => {
    const clock = { now: () => Date.now() + days * DAY_MS, advance: () => {} }
    const { work, settled } = testWork({ clock })
    await sweepConfirmations(work)
    await settled()
  }

  it("deletes pending contacts after 7 days, and keeps those who had left before", async () => {
    const team = await makeTeam()
    const { form, link, read } = await ask(team)
    const left = newAddress()
    await team.api.post(form.contacts, { email: left, subscribed: false })
    await post(form.id, { email: left })
    expect((await contactOf(team, form, left)).confirmation).toBe("pending")
    await sweepIn(6)
    expect((await read()).confirmation).toBe("pending")
    await sweepIn(7.01)
    expect(await read()).toBeUndefined()
    expect(await contactOf(team, form, left)).toMatchObject({
      ...{ subscribed: false, confirmation: null },
    })
    expect((await request("POST", link)).status).toBe(404)
    const book = await team.api.get(`/contact-books/${form.bookId}`)
    expect(book.body).toMatchObject({ contactCount: 1, subscribedCount: 0 })
    expect(await linksOf(team, left)).toEqual([])
    const hashes = await env.DB.prepare(
      "select count(*) as n from contact_refusals where team_id = ?",
    )
      .bind(team.id)
      .first()
    expect(hashes).toEqual({ n: 0 })
  })

  it("has a subject of ours where a form of before makes an empty one", async () => {
    const team = await makeTeam()
    const form = await makeForm(team)
    await env.DB.prepare("update forms set confirmation = ? where team_id = ?")
      .bind(JSON.stringify(mailOf("{{ firstName }}")), team.id)
      .run()
    const email = newAddress()
    await post(form.id, { email })
    const [mail] = await untilAsked(team, email)
    expect(mail).toMatchObject({ subject: "Please confirm your subscription" })
  })

  it("sends a mail that was lost, once", async () => {
    const team = await makeTeam()
    const { email } = await ask(team)
    await untilAsked(team, email)
    await env.DB.prepare("update confirmations set mail_due_at = 1 where team_id = ?")
      .bind(team.id)
      .run()
    await sweepIn(0)
    expect(await mailTo(team, email)).toHaveLength(1)
    const row = await env.DB.prepare(
      "select mail_due_at as due from confirmations where team_id = ?",
    )
      .bind(team.id)
      .first()
    expect(row).toEqual({ due: null })
  })
})

it.each([
  ["203.0.113.77", "203.0.113.0/24"],
  ["::ffff:203.0.113.77", "203.0.113.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["2001:db8::1", "2001:db8:0::/48"],
])("cuts %s to %s", (ip, network) => {
  expect(cutNetwork(ip)).toBe(network)
})
