import { describe, expect, it } from "vitest"
import { listmonkSource } from "../../../src/command-line/import/listmonk.ts"
import { makeFakeListmonk } from "../../support/fake-listmonk.ts"
import { makeImporter } from "../../support/import.ts"
import { makeTeam } from "../../support/team.ts"

const authorization = "token importer:secret"
const theirs = makeFakeListmonk(authorization)
const bring = makeImporter({
  ...{ service: "listmonk", authorization, toSource: listmonkSource },
  answer: (request) => theirs.answer(request),
})

type Team = Awaited<ReturnType<typeof makeTeam>>

async function setUp() {
  theirs.lists = [
    { id: 1, name: "News", optin: "single" },
    { id: 2, name: "Offers", optin: "double" },
  ]
  theirs.subscribers = []
  theirs.templates = []
  theirs.refuse = () => null
  return makeTeam()
}

/** The contacts of each book, by the names of both. */
async function booksOf({ api }: Team) {
  const books: { id: string; name: string }[] = (await api.get("/contact-books")).body.data
  const entries = books.map(async ({ id, name }) => {
    const { data } = (await api.get(`/contact-books/${id}/contacts?limit=100`)).body
    return [name, Object.fromEntries(data.map((one: { email: string }) => [one.email, one]))]
  })
  return Object.fromEntries(await Promise.all(entries))
}

const consents = (contacts: Record<string, { subscribed: boolean }>) =>
  Object.fromEntries(
    Object.entries(contacts).map(([email, { subscribed }]) => [email.split("@")[0], subscribed]),
  )

describe("an import from listmonk", () => {
  it("subscribes those alone whom listmonk mails", async () => {
    const team = await setUp()
    const both = (status: "unconfirmed" | "confirmed" | "unsubscribed") => ({
      1: status,
      2: status,
    })
    theirs.subscribers = [
      { email: "open@example.com", name: "Open", lists: both("unconfirmed") },
      { email: "yes@example.com", name: "Yes", lists: both("confirmed") },
      { email: "no@example.com", name: "No", lists: both("unsubscribed") },
      { email: "off@example.com", name: "Off", status: "disabled", lists: both("confirmed") },
      { email: "bad@example.com", name: "Bad", status: "blocklisted", lists: both("confirmed") },
      { email: "none@example.com", name: "None", lists: {} },
    ]
    const { parts } = await bring(team)
    expect(parts.suppressions).toMatchObject({ found: 1, added: 1, failed: [] })
    expect(parts.contacts).toMatchObject({ found: 10, added: 10, failed: [] })
    expect(parts.contacts?.notes).toEqual([
      expect.stringMatching(/^1 subscribers are in no list/),
      expect.stringMatching(/^1 subscriptions to lists with double opt-in were never confirmed/),
    ])
    const { News, Offers } = await booksOf(team)
    const others = { yes: true, no: false, off: false, bad: false }
    expect(consents(News)).toEqual({ open: true, ...others })
    expect(consents(Offers)).toEqual({ open: false, ...others })
    expect((await team.api.get("/suppressions")).body.data).toMatchObject([
      { email: "bad@example.com", reason: "manual", note: "From listmonk: blocklisted" },
    ])
  })

  it("changes nothing the second time, but for consent that was withdrawn", async () => {
    const team = await setUp()
    const ada = {
      email: "ada@example.com",
      name: "Ada Lovelace",
      lists: { 1: "confirmed" as const },
    }
    theirs.subscribers = [ada, { ...ada, email: "bad@example.com", status: "blocklisted" }]
    await bring(team)
    const before = await booksOf(team)
    expect((await bring(team)).parts).toMatchObject({
      suppressions: { added: 0, changed: 0, kept: 1 },
      contacts: { added: 0, changed: 0, kept: 2 },
    })
    expect(await booksOf(team)).toEqual(before)
    theirs.subscribers = [{ ...ada, lists: { 1: "unsubscribed" } }]
    expect((await bring(team)).parts.contacts).toMatchObject({ changed: 1 })
    theirs.subscribers = [ada]
    await bring(team)
    expect(consents((await booksOf(team)).News)).toMatchObject({ ada: false })
  })

  it("goes on after it was broken off, and reads every page", async () => {
    const team = await setUp()
    theirs.subscribers = Array.from({ length: 2_120 }, (_, index) => ({
      email: `reader-${index}@example.com`,
      name: "Reader",
      lists: { 1: "confirmed" as const },
    }))
    let reads = 0
    theirs.refuse = (path, page) => {
      if (path !== "/api/subscribers" || page !== 42) return null
      return ++reads === 2 ? Response.json({ message: "Gone" }, { status: 403 }) : null
    }
    await expect(bring(team)).rejects.toThrow("listmonk answered 403 to GET /api/subscribers")
    const count = async () => (await team.api.get("/contact-books")).body.data[0].contactCount
    expect(await count()).toBe(2_000)
    expect((await bring(team)).parts.contacts).toMatchObject({ added: 120, kept: 2_000 })
    expect(await count()).toBe(2_120)
  })

  it("brings names and attributes, and says which it leaves out", async () => {
    const team = await setUp()
    theirs.subscribers = [
      {
        email: "ada@example.com",
        name: "Ada King Lovelace",
        attribs: {
          ...{ city: "London", age: 36, tags: ["a", "b"], status: "unsubscribed" },
          ...{ none: null, "": "x", ["n".repeat(65)]: "x" },
          ...{ cart: ["x".repeat(2_000)], bell: "\u0007" },
        },
        lists: { 1: "confirmed" },
      },
    ]
    const { parts } = await bring(team)
    expect(parts.contacts).toMatchObject({ added: 1, failed: [] })
    expect(parts.contacts?.notes).toHaveLength(4)
    expect(parts.contacts?.notes).toContain(
      "The property cart is left out where its value has over 2000 characters.",
    )
    expect((await booksOf(team)).News).toMatchObject({
      "ada@example.com": {
        firstName: "Ada",
        lastName: "King Lovelace",
        subscribed: true,
        properties: { city: "London", age: "36", tags: '["a","b"]', status: "unsubscribed" },
      },
    })
  })

  it.each([false, true])("names all that failed, in a dry run (%s) too", async (isDry) => {
    const team = await setUp()
    await team.api.post("/contact-books", { name: "News" })
    theirs.subscribers = Array.from({ length: 250 }, (_, index) => ({
      email: index % 2 === 0 ? `reader ${index}` : `reader-${index}@example.com`,
      name: "Reader",
      status: "blocklisted",
      lists: { 1: "confirmed" as const },
    }))
    const { parts } = await bring(team, { isDry })
    const failed = Array.from({ length: 125 }, (_, index) => `reader ${2 * index}`)
    expect(parts.contacts).toMatchObject({ found: 250, added: 125, changed: 0, kept: 0 })
    expect(parts.contacts?.failed.map(({ what }) => what)).toEqual(failed)
    if (isDry) return
    expect(parts.suppressions).toMatchObject({ found: 250, added: 125, kept: 0 })
    expect(parts.suppressions?.failed.map(({ what }) => what)).toEqual(failed)
  })

  it("keeps lists of the same name apart", async () => {
    const team = await setUp()
    theirs.lists = [1, 2].map((id) => ({ id, name: "News", optin: "single" }))
    theirs.subscribers = [
      { email: "one@example.com", name: "", lists: { 1: "confirmed" } },
      { email: "two@example.com", name: "", lists: { 2: "confirmed" } },
    ]
    await bring(team)
    const books = await booksOf(team)
    expect(consents(books.News)).toEqual({ one: true })
    expect(consents(books["News (2)"])).toEqual({ two: true })
  })

  it("brings transactional templates, and refuses what they cannot say here", async () => {
    const team = await setUp()
    const template = { type: "tx", subject: "Order {{ .Tx.Data.order.id }}" }
    theirs.templates = [
      {
        ...{ id: 1, name: "Order shipped", ...template },
        body: "<p>{{ .Subscriber.FirstName }}, {{.Subscriber.Attribs.city}}: {{.Tx.Data.total}}</p>",
      },
      { id: 2, name: "With logic", ...template, body: "{{ if .Tx.Data.total }}x{{ end }}" },
      { id: 3, name: "Default", type: "campaign", subject: "", body: '{{ template "content" . }}' },
    ]
    const { parts } = await bring(team)
    expect(parts.templates).toMatchObject({
      ...{ found: 2, added: 1 },
      failed: [{ what: "With logic", why: "{{ if .Tx.Data.total }} has no counterpart." }],
    })
    expect((await team.api.get("/templates/order-shipped-1")).body).toMatchObject({
      subject: "Order {{ order.id }}",
      bodyHtml: "<p>{{ subscriber.firstName }}, {{ subscriber.city }}: {{ total }}</p>",
    })
    expect((await bring(team)).parts.templates).toMatchObject({ added: 0, changed: 0, kept: 1 })
  })

  it("stores nothing in a dry run", async () => {
    const team = await setUp()
    theirs.subscribers = [
      { email: "bad@example.com", name: "", status: "blocklisted", lists: { 1: "confirmed" } },
    ]
    expect((await bring(team, { isDry: true })).parts).toMatchObject({
      suppressions: { found: 1, added: 1 },
      contacts: { found: 1, added: 1 },
    })
    for (const path of ["/contact-books", "/suppressions"]) {
      expect((await team.api.get(path)).body.data).toEqual([])
    }
  })
})
