import { exports } from "cloudflare:workers"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { Edgepost } from "../../../src/client/index.ts"
import { createGet } from "../../../src/command-line/import/api.ts"
import { importFrom } from "../../../src/command-line/import/report.ts"
import { resendSource } from "../../../src/command-line/import/resend.ts"
import { createResendApi } from "../../../src/command-line/import/resend-api.ts"
import { BASE_URL } from "../../support/api.ts"
import { makeTeam } from "../../support/team.ts"
import { type FakeResend, fakeResend, refusal } from "./fake-resend.ts"
import { createResend } from "./package.ts"

const THEIR_URL = "https://api.resend.test"
const PARTS = ["domains", "templates", "suppressions", "contacts"] as const
let theirs: FakeResend
let fetched: ReturnType<typeof vi.spyOn>
beforeAll(() => {
  fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    return request.url.startsWith(THEIR_URL)
      ? theirs.answer(request)
      : exports.default.fetch(request)
  })
})
afterAll(() => fetched.mockRestore())

async function setUp() {
  theirs = fakeResend()
  const team = await makeTeam()
  const client = new Edgepost({ apiKey: team.api.key, baseUrl: BASE_URL })
  const bring = (
    options: {
      isDry?: boolean
      only?: (typeof PARTS)[number][]
      withProperties?: boolean
      rate?: number
    } = {},
  ) => {
    const { isDry = false, only, withProperties = false, rate = 1000 } = options
    const { signal } = new AbortController()
    const get = createGet({
      ...{ service: "Resend", baseUrl: THEIR_URL, authorization: "Bearer re_123" },
      ...{ rate, signal },
    })
    const source = resendSource(createResendApi(get), { withProperties })
    return importFrom(source, { client, isDry }, only, () => {})
  }
  return { team, client, bring }
}

const contact = (id: number, changed = {}) => ({
  id: `00000000-0000-0000-0000-${String(id).padStart(12, "0")}`,
  email: `reader-${id}@example.com`,
  first_name: "Ada",
  last_name: null,
  unsubscribed: false,
  created_at: "2026-01-01T00:00:00.000Z",
  ...changed,
})

const TEMPLATE = {
  object: "template",
  id: "5f2c0a1e-0000-0000-0000-000000000000",
  name: "Order shipped",
  alias: "order-shipped",
  subject: "Your order {{{ORDER}}}",
  html: "<p>{{{ORDER}}} for {{{NAME|you}}}</p>",
  text: null,
  from: null,
  reply_to: null,
  status: "published",
  variables: [{ key: "ORDER", type: "number", fallback_value: null }],
}

const withTemplate = (changed = {}) => {
  const template = { ...TEMPLATE, ...changed }
  theirs.lists["/templates"] = [template]
  theirs.records[`/templates/${template.id}`] = template
}

describe("an import from Resend", () => {
  it("brings domains, templates, contacts and suppressions, and only once", async () => {
    const { team, bring } = await setUp()
    theirs.lists["/domains"] = [
      { id: "d1", name: "mail.example.com" },
      { id: "d2", name: team.domain },
    ] as never
    withTemplate()
    theirs.lists["/contacts"] = [contact(1), contact(2, { unsubscribed: true })]
    theirs.lists["/segments"] = [{ id: "s1", name: "Readers" }] as never
    theirs.lists["/segments/s1/contacts"] = [contact(2, { unsubscribed: true })]
    theirs.lists["/suppressions"] = [
      { id: "x1", email: "gone@example.com", origin: "bounce", created_at: "2026-01-01" },
    ] as never
    const { parts, leftBehind } = await bring()
    expect(parts).toMatchObject({
      domains: { found: 2, added: 1, kept: 1, failed: [] },
      templates: { found: 1, added: 1, failed: [] },
      contacts: { found: 3, added: 3, failed: [] },
      suppressions: { found: 1, added: 1, failed: [] },
    })
    expect(leftBehind.join()).toMatch(/API keys.*Webhooks/)
    // Who left a topic there would get its mail here.
    expect(leftBehind.join("\n")).toMatch(/^Topics.*choices/m)
    const { api } = team
    const books = (await api.get("/contact-books")).body.data
    expect(
      books.map(({ name, contactCount, subscribedCount }: Record<string, unknown>) => [
        name,
        contactCount,
        subscribedCount,
      ]),
    ).toEqual([
      ["Readers", 1, 0],
      ["Contacts", 2, 1],
    ])
    expect((await api.get("/templates/order-shipped")).body).toMatchObject({
      subject: "Your order {{ ORDER }}",
      bodyHtml: "<p>{{ ORDER }} for {{ NAME }}</p>",
      variablesSchema: {
        variables: [
          { name: "ORDER", type: "number" },
          { name: "NAME", default: "you" },
        ],
      },
    })
    expect((await api.get("/suppressions")).body.data).toMatchObject([
      { email: "gone@example.com", reason: "manual", note: "From Resend: bounce, 2026-01-01" },
    ])
    const again = (await bring()).parts
    expect(again).toMatchObject({
      domains: { added: 0, kept: 2 },
      templates: { added: 0, changed: 0, kept: 1 },
      contacts: { added: 0, changed: 0, kept: 3 },
      suppressions: { added: 0, kept: 1 },
    })
    expect((await api.get("/contact-books")).body.data).toHaveLength(2)
    expect((await api.get("/templates/order-shipped")).body.version).toBe(1)
  })

  it("fills the book that the package's contacts are in", async () => {
    const { team, bring } = await setUp()
    theirs.lists["/contacts"] = [contact(1)]
    await bring({ only: ["contacts"] })
    const { data } = await createResend(team.api.key).contacts.list()
    expect(data?.data).toMatchObject([{ email: "reader-1@example.com", first_name: "Ada" }])
  })

  it("changes nothing in a dry run", async () => {
    const { team, bring } = await setUp()
    theirs.lists["/domains"] = [{ id: "d1", name: "mail.example.com" }] as never
    withTemplate()
    theirs.lists["/contacts"] = [contact(1)]
    theirs.lists["/suppressions"] = [{ id: "x1", email: "gone@example.com" }] as never
    const { parts, dryRun } = await bring({ isDry: true })
    expect(dryRun).toBe(true)
    for (const name of PARTS) expect(parts[name]).toMatchObject({ found: 1, added: 1 })
    for (const path of ["/templates", "/contact-books", "/suppressions"]) {
      expect((await team.api.get(path)).body.data).toEqual([])
    }
    expect((await team.api.get("/domains")).body.data).toHaveLength(1)
  })

  it("counts in a dry run only the contacts that are missing here", async () => {
    const { team, bring } = await setUp()
    theirs.lists["/contacts"] = [contact(1), contact(2)]
    await bring({ only: ["contacts"] })
    theirs.lists["/contacts"] = [contact(1), contact(2, { unsubscribed: true }), contact(3)]
    const { parts } = await bring({ only: ["contacts"], isDry: true })
    expect(parts.contacts).toMatchObject({ found: 3, added: 1, kept: 2, changed: 0, failed: [] })
    const [book] = (await team.api.get("/contact-books")).body.data
    expect(book).toMatchObject({ contactCount: 2, subscribedCount: 2 })
  })

  it("never gives consent again that was withdrawn here", async () => {
    const { team, bring } = await setUp()
    theirs.lists["/contacts"] = [contact(1)]
    await bring({ only: ["contacts"] })
    await team.api.post("/contacts/unsubscribe", { email: "reader-1@example.com" })
    await bring({ only: ["contacts"] })
    const [book] = (await team.api.get("/contact-books")).body.data
    expect(book).toMatchObject({ contactCount: 1, subscribedCount: 0 })
  })

  it("keeps names and properties that were changed here", async () => {
    const { team, client, bring } = await setUp()
    const ada = contact(1)
    theirs.lists["/contacts"] = [ada]
    const properties = { city: { type: "string", value: "London" } }
    theirs.records[`/contacts/${ada.id}`] = { ...ada, properties }
    const again = () => bring({ only: ["contacts"], withProperties: true })
    await again()
    const [book] = (await team.api.get("/contact-books")).body.data
    const { id } = (await client.contacts.list(book.id)).data[0]!
    const changes = { firstName: "Augusta", lastName: "King", properties: { city: "Paris" } }
    await client.contacts.update(book.id, id, changes)
    expect((await again()).parts.contacts).toMatchObject({ added: 0, changed: 0, kept: 1 })
    expect(await client.contacts.get(book.id, id)).toMatchObject({ ...changes, subscribed: true })
  })

  it("withdraws the consent of those who unsubscribed at Resend since, and counts them", async () => {
    const { team, client, bring } = await setUp()
    theirs.lists["/contacts"] = [contact(1), contact(2), contact(3, { unsubscribed: true })]
    await bring({ only: ["contacts"] })
    const [book] = (await team.api.get("/contact-books")).body.data
    const [known] = (await client.contacts.list(book.id, { q: "reader-2" })).data
    await client.contacts.update(book.id, known!.id, { firstName: "Grace" })
    theirs.lists["/contacts"] = [
      contact(1),
      contact(2, { unsubscribed: true }),
      contact(3, { unsubscribed: true }),
      contact(4, { unsubscribed: true }),
    ]
    const { parts } = await bring({ only: ["contacts"] })
    expect(parts.contacts).toMatchObject({ found: 4, added: 1, changed: 1, kept: 2 })
    expect(await client.contacts.get(book.id, known!.id)).toMatchObject({
      firstName: "Grace",
      subscribed: false,
    })
  })

  it("reads every page", async () => {
    const { team, bring } = await setUp()
    theirs.lists["/contacts"] = Array.from({ length: 2_250 }, (_, id) => contact(id))
    expect((await bring({ only: ["contacts"] })).parts.contacts).toMatchObject({ added: 2_250 })
    expect(theirs.asked.filter(({ path }) => path === "/contacts")).toHaveLength(23)
    expect((await team.api.get("/contact-books")).body.data).toMatchObject([
      { contactCount: 2_250 },
    ])
  })

  it("brings properties where it is asked to, into the segments too", async () => {
    const { team, bring } = await setUp()
    const ada = contact(1, { first_name: 'Ada "the first", Countess' })
    theirs.lists["/contacts"] = [ada, contact(2)]
    theirs.lists["/segments"] = [{ id: "s1", name: "Readers" }] as never
    theirs.lists["/segments/s1/contacts"] = [ada]
    const properties = { city: { type: "string", value: 'London, "W1"' } }
    theirs.records[`/contacts/${ada.id}`] = { ...ada, properties }
    theirs.records[`/contacts/${contact(2).id}`] = { ...contact(2), properties: {} }
    await bring({ only: ["contacts"], withProperties: true })
    for (const book of (await team.api.get("/contact-books")).body.data) {
      const { data } = (await team.api.get(`/contact-books/${book.id}/contacts?q=reader-1`)).body
      expect(data).toMatchObject([
        { firstName: 'Ada "the first", Countess', properties: { city: 'London, "W1"' } },
      ])
    }
  })

  /** Contacts with these properties. */
  const withProperties = (count: number, propertiesOf: (id: number) => Record<string, string>) => {
    const contacts = Array.from({ length: count }, (_, id) => contact(id))
    theirs.lists["/contacts"] = contacts
    for (const [index, one] of contacts.entries()) {
      const values = Object.entries(propertiesOf(index))
      const properties = Object.fromEntries(values.map(([name, value]) => [name, { value }]))
      theirs.records[`/contacts/${one.id}`] = { ...one, properties }
    }
  }
  const suppress = (email: string) => {
    const one = { id: "x1", email, origin: "bounce", created_at: "2026-01-01" }
    theirs.lists["/suppressions"] = [one]
  }

  it.each<[string, number, (id: number) => Record<string, string>]>([
    ["2 MiB", 1_100, () => ({ bio: "x".repeat(2_000) })],
    ["50 names of properties", 60, (id) => ({ [`p${id}`]: "yes" })],
  ])("brings contacts with over %s in several calls", async (_, count, propertiesOf) => {
    const { team, client, bring } = await setUp()
    withProperties(count, propertiesOf)
    const { parts } = await bring({ only: ["contacts"], withProperties: true })
    expect(parts.contacts).toMatchObject({ found: count, added: count, failed: [] })
    const [book] = (await team.api.get("/contact-books")).body.data
    const { email } = contact(count - 1)
    const [last] = (await client.contacts.list(book.id, { q: email })).data
    expect(last?.properties).toEqual(propertiesOf(count - 1))
  })

  it("leaves out properties whose names clash, and says which", async () => {
    const { team, bring } = await setUp()
    const own = { Subscribed: "no", firstname: "Bob", status: "left", plan: "pro" }
    withProperties(2, (id) => ({
      ...(id === 0 ? { City: "London" } : { city: "Paris" }),
      ...own,
    }))
    const { parts } = await bring({ only: ["contacts"], withProperties: true })
    expect(parts.contacts).toMatchObject({
      added: 2,
      failed: [],
      notes: ["The property city is left out: its name is that of the property City."],
    })
    const [book] = (await team.api.get("/contact-books")).body.data
    const { data } = (await team.api.get(`/contact-books/${book.id}/contacts`)).body
    expect(data).toMatchObject([
      { firstName: "Ada", subscribed: true, properties: own },
      { firstName: "Ada", subscribed: true, properties: { City: "London", ...own } },
    ])
  })

  it("reports the contacts of a refused call as failed, and goes on", async () => {
    const { team, bring } = await setUp()
    withProperties(2, (id) =>
      id === 0 ? {} : Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`p${n}`, "yes"])),
    )
    theirs.lists["/segments"] = [
      { id: "s1", name: "x".repeat(201) },
      { id: "s2", name: "Readers" },
    ] as never
    theirs.lists["/segments/s2/contacts"] = [contact(0)]
    suppress("gone@example.com")
    const { parts } = await bring({ withProperties: true })
    expect(parts.contacts).toMatchObject({
      found: 3,
      added: 2,
      failed: [
        { what: contact(1).email, why: expect.stringContaining("50") },
        { what: `The segment ${"x".repeat(201)}` },
      ],
    })
    expect(parts.suppressions).toMatchObject({ added: 1 })
    expect((await team.api.get("/contact-books")).body.data).toHaveLength(2)
  })

  it("suppresses addresses before it brings contacts", async () => {
    const { team, bring } = await setUp()
    suppress("gone@example.com")
    delete theirs.lists["/contacts"]
    await expect(bring()).rejects.toThrow("404 to GET /contacts")
    expect((await team.api.get("/suppressions")).body.data).toHaveLength(1)
  })

  it("keeps segments of the same name apart", async () => {
    const { team, bring } = await setUp()
    theirs.lists["/segments"] = [
      { id: "11111111-a", name: "Readers" },
      { id: "22222222-b", name: "Readers" },
    ] as never
    theirs.lists["/segments/11111111-a/contacts"] = [contact(1)]
    theirs.lists["/segments/22222222-b/contacts"] = [contact(2)]
    await bring({ only: ["contacts"] })
    const books = (await team.api.get("/contact-books")).body.data
    expect(books).toMatchObject([
      { name: "Readers (22222222)", contactCount: 1 },
      { name: "Readers", contactCount: 1 },
    ])
  })

  it("goes on where one record is refused, and says which and why", async () => {
    const { team, bring } = await setUp()
    theirs.lists["/domains"] = [
      { id: "d1", name: "not a domain" },
      { id: "d2", name: "mail.example.com" },
    ] as never
    theirs.lists["/contacts"] = [contact(1, { email: "nobody" }), contact(2)]
    withTemplate({ html: "" })
    const { parts } = await bring()
    expect(parts.domains?.failed).toMatchObject([{ what: "not a domain" }])
    expect(parts.domains?.added).toBe(1)
    expect(parts.contacts).toMatchObject({ added: 1, failed: [{ what: "nobody" }] })
    expect(parts.templates?.failed).toMatchObject([{ what: "Order shipped" }])
    expect((await team.api.get("/domains")).body.data).toHaveLength(2)
  })

  it("brings placeholders of the contact, and refuses what has no counterpart", async () => {
    const { team, bring } = await setUp()
    const subject = "Hi {{{contact.first_name}}}"
    withTemplate({ subject, html: "<p>{{{contact.first_name|there}}} {{{contact.city|}}}</p>" })
    expect((await bring({ only: ["templates"] })).parts.templates).toMatchObject({ added: 1 })
    expect((await team.api.get("/templates/order-shipped")).body).toMatchObject({
      subject: "Hi {{ contact.first_name }}",
      bodyHtml: "<p>{{ contact.first_name }} {{ contact.city }}</p>",
      variablesSchema: {
        variables: [
          { name: "ORDER" },
          { name: "contact.first_name", default: "there" },
          { name: "contact.city", default: "" },
        ],
      },
    })
    withTemplate({ html: "<p>{{{#each items}}}</p>" })
    expect((await bring({ only: ["templates"] })).parts.templates?.failed).toEqual([
      { what: "Order shipped", why: "{{{#each items}}} has no counterpart." },
    ])
  })

  it("changes a template that changed at Resend, and notes what has no place here", async () => {
    const { team, bring } = await setUp()
    const changes = {
      alias: "Order_Shipped",
      subject: null,
      from: "a@example.com",
      status: "draft",
    }
    withTemplate(changes)
    const first = (await bring({ only: ["templates"] })).parts.templates
    expect(first?.notes).toHaveLength(4)
    withTemplate({ ...changes, html: "<p>New</p>" })
    const second = (await bring({ only: ["templates"] })).parts.templates
    expect(second).toMatchObject({ added: 0, changed: 1 })
    expect((await team.api.get("/templates/order-shipped")).body).toMatchObject({
      version: 2,
      subject: "Order shipped",
      bodyHtml: "<p>New</p>",
    })
  })
})

describe("Resend's limits", () => {
  it("are waited for, as long as the server says", async () => {
    const { bring } = await setUp()
    theirs.next = [
      refusal(429, "rate_limit_exceeded", "Too many requests", { "retry-after": "1" }),
      refusal(500, "internal_server_error", "Oops", { "retry-after": "0" }),
    ]
    const started = Date.now()
    expect((await bring({ only: ["domains"] })).parts.domains).toMatchObject({ found: 0 })
    expect(theirs.asked).toHaveLength(3)
    expect(Date.now() - started).toBeGreaterThanOrEqual(900)
  })

  it("are kept to by a pause between requests", async () => {
    const { bring } = await setUp()
    await bring({ isDry: true, rate: 10 })
    const times = theirs.asked.map(({ at }) => at)
    expect(times).toHaveLength(5)
    for (const [index, at] of times.slice(1).entries()) {
      expect(at - times[index]!).toBeGreaterThanOrEqual(95)
    }
  })

  it("a key that may not read ends the import with Resend's words", async () => {
    const { bring } = await setUp()
    theirs.next = [
      refusal(401, "restricted_api_key", "This API key is restricted to only send emails"),
    ]
    await expect(bring()).rejects.toThrow(
      "401 to GET /domains?limit=100: This API key is restricted",
    )
  })
})
