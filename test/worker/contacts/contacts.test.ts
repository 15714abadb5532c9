import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { sweepDeletedBooks } from "../../../src/worker/contacts/books.ts"
import { unsubscribeAddress } from "../../../src/worker/contacts/unsubscribe/unsubscribe.ts"
import type { Api } from "../../support/api.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam } from "../../support/team.ts"
import { warmed } from "../../support/warm.ts"
import { testWork } from "../../support/work.ts"

async function makeBook(api: Api, name = "Readers"): Promise<string> {
  const { status, body } = await api.post("/contact-books", { name })
  expect(status).toBe(201)
  return body.id
}

async function addContact(api: Api, book: string, fields: object) {
  const { status, body } = await api.post(`/contact-books/${book}/contacts`, fields)
  expect(status).toBe(201)
  return body
}

async function countsOf(api: Api, book: string): Promise<[number, number]> {
  const { body } = await api.get(`/contact-books/${book}`)
  return [body.contactCount, body.subscribedCount]
}

const searchCursor = (at: string[]) => Buffer.from(JSON.stringify(at)).toString("base64url")

const emailsOf = (page: { data: { email: string }[] }) => page.data.map(({ email }) => email)

async function walk(api: Api, path: string): Promise<string[]> {
  const found: string[] = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const { status, body } = await api.get(`${path}${cursor && `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    found.push(...emailsOf(body))
    cursor = body.nextCursor
  }
  return found
}

/** A book of many contacts, without the detour over the API. */
async function makeBigBook(teamId: string, size: number): Promise<string> {
  const book = newId("contactBook")
  await env.DB.batch([
    env.DB.prepare(
      `insert into contact_books (team_id, id, name, contact_count, subscribed_count, created_at, updated_at)
       values (?, ?, 'Big', ?, ?, 1, 1)`,
    ).bind(teamId, book, size, size),
    env.DB.prepare(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ? - 1)
       insert into contacts (team_id, book_id, id, email, first_name, last_name, first_key,
         last_key, subscribed, created_at, updated_at)
       select ?, ?, printf('ct_%026d', i), printf('ada%06d@example.com', i), 'Ada', 'Byron',
         'ada', 'byron', i % 1000 <> 0, 1, 1 from n`,
    ).bind(size, teamId, book),
  ])
  return book
}

describe("contact books", () => {
  it("a new one is empty, and its sender is optional", async () => {
    const { api } = await makeTeam()
    const { status, body } = await api.post("/contact-books", {
      name: " Readers ",
      defaultFrom: "News <News@Example.com>",
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: "Readers",
      defaultFrom: "News <news@example.com>",
      contactCount: 0,
      subscribedCount: 0,
    })
    expect((await api.get(`/contact-books/${body.id}`)).body).toEqual(body)
    const cleared = await api.patch(`/contact-books/${body.id}`, { defaultFrom: null })
    expect(cleared.body).toMatchObject({ name: "Readers", defaultFrom: null })
  })

  it("names may repeat; a change of nothing and an empty name are refused", async () => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    await makeBook(api)
    expect((await api.patch(`/contact-books/${book}`, { other: 1 })).status).toBe(400)
    expect((await api.patch(`/contact-books/${book}`, { name: " " })).status).toBe(400)
    expect((await api.get("/contact-books")).body.data).toHaveLength(2)
  })

  it("another team's cannot be told from one that is not there", async () => {
    const { api } = await makeTeam()
    const other = await makeTeam()
    const book = await makeBook(other.api)
    const { id } = await addContact(other.api, book, { email: "a@example.com" })
    const replies = await Promise.all([
      api.get(`/contact-books/${book}`),
      api.patch(`/contact-books/${book}`, { name: "x" }),
      api.delete(`/contact-books/${book}`),
      api.get(`/contact-books/${book}/contacts`),
      api.get(`/contact-books/${book}/contacts?q=a`),
      api.post(`/contact-books/${book}/contacts`, { email: "b@example.com" }),
      api.get(`/contact-books/${book}/contacts/${id}`),
      api.patch(`/contact-books/${book}/contacts/${id}`, { firstName: "x" }),
      api.delete(`/contact-books/${book}/contacts/${id}`),
      api.post("/contacts/unsubscribe", { email: "a@example.com", bookId: book }),
    ])
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404))
    expect(await countsOf(other.api, book)).toEqual([1, 1])
  })

  it("a deleted one takes every contact with it, a big one by and by", async () => {
    const { api, id: teamId } = await makeTeam()
    const book = await makeBigBook(teamId, 2_500)
    const contact = `/contact-books/${book}/contacts/ct_${"0".repeat(22)}2499`
    expect((await api.get(contact)).status).toBe(200)
    expect((await api.delete(`/contact-books/${book}`)).status).toBe(204)
    expect((await api.get(`/contact-books/${book}`)).status).toBe(404)
    expect((await api.get(contact)).status).toBe(404)
    expect((await api.delete(contact)).status).toBe(404)
    const unsubscribed = await api.post("/contacts/unsubscribe", {
      email: "ada002499@example.com",
    })
    expect(unsubscribed.body).toEqual({ unsubscribed: 0 })
    const left = () =>
      env.DB.prepare("select count(*) as n from contacts where book_id = ?")
        .bind(book)
        .first<number>("n")
    expect(await left()).toBe(1_500)
    await sweepDeletedBooks(testWork().work)
    expect(await left()).toBe(0)
    const books = await env.DB.prepare("select * from deleted_books where id = ?").bind(book).all()
    expect(books.results).toEqual([])
  })
})

describe("contacts", () => {
  it("a new one is subscribed, its address in lower case", async () => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    const contact = await addContact(api, book, {
      email: "Ada@Example.COM",
      firstName: " Ada ",
      properties: { city: "London", age: 36, vip: true },
    })
    expect(contact).toMatchObject({
      bookId: book,
      email: "ada@example.com",
      firstName: "Ada",
      lastName: null,
      properties: { city: "London", age: 36, vip: true },
      subscribed: true,
      unsubscribeReason: null,
      unsubscribedAt: null,
      confirmation: null,
      confirmedAt: null,
    })
    expect(contact.id).toMatch(/^ct_/)
    expect((await api.get(`/contact-books/${book}/contacts/${contact.id}`)).body).toEqual(contact)
  })

  it.each([
    ["no address", { email: undefined }],
    ["an address with a name", { email: "Ada <a@b.c>" }],
    ["a property that is an object", { properties: { a: {} } }],
    ["a property that is null", { properties: { a: null } }],
    [
      "51 properties",
      { properties: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`p${i}`, i])) },
    ],
    [
      "over 16 KiB of properties",
      { properties: Object.fromEntries([..."abcdefghi"].map((name) => [name, "x".repeat(1_999)])) },
    ],
    ["a consent that is a text", { subscribed: "yes" }],
  ])("refuses %s", async (_, fields) => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    const { status } = await api.post(`/contact-books/${book}/contacts`, {
      email: "a@example.com",
      ...fields,
    })
    expect(status).toBe(400)
    expect(await countsOf(api, book)).toEqual([0, 0])
  })

  it("an address is in a book once, whatever its case, also when two add it at once", async () => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    const other = await makeBook(api)
    const replies = await Promise.all(
      ["a@example.com", "A@example.com", "a@EXAMPLE.com"].map((email) =>
        api.post(`/contact-books/${book}/contacts`, { email }),
      ),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    expect(await countsOf(api, book)).toEqual([1, 1])
    await addContact(api, other, { email: "a@example.com" })
    const second = await addContact(api, book, { email: "b@example.com" })
    const moved = await api.patch(`/contact-books/${book}/contacts/${second.id}`, {
      email: "a@example.com",
    })
    expect([moved.status, moved.body.error.code]).toEqual([409, "conflict"])
  })

  it.each([
    { firstName: "a\u0000b" },
    { lastName: "a\nb" },
    { properties: { city: "a\u0000b" } },
    { properties: { "a\u0007": "b" } },
  ])("refuses %j, which no mail may hold", async (fields) => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    const { status, body } = await api.post(`/contact-books/${book}/contacts`, {
      email: "a@x.test",
      ...fields,
    })
    expect(status).toBe(400)
    expect(body.error.details[0].path[0]).toBe(Object.keys(fields)[0])
  })

  it("a change replaces what it names and leaves the rest", async () => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    const contact = await addContact(api, book, {
      email: "a@example.com",
      firstName: "Ada",
      properties: { city: "London", age: 36 },
    })
    const path = `/contact-books/${book}/contacts/${contact.id}`
    const { body } = await api.patch(path, { lastName: "Byron", properties: { city: "Paris" } })
    expect(body).toMatchObject({
      firstName: "Ada",
      lastName: "Byron",
      properties: { city: "Paris" },
    })
    expect((await api.get(path)).body).toEqual(body)
    expect((await api.patch(path, {})).status).toBe(400)
    const same = await api.patch(path, { lastName: "Byron" })
    expect(same.body).toEqual(body)
  })

  it("two changes at once both hold, and search finds them", async () => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    for (const n of [1, 2, 3, 4, 5]) {
      const { id } = await addContact(api, book, { email: `a${n}@example.com`, firstName: "Old" })
      const path = `/contact-books/${book}/contacts`
      await Promise.all([
        api.patch(`${path}/${id}`, { firstName: `First${n}`, subscribed: true }),
        api.patch(`${path}/${id}`, { lastName: `Last${n}` }),
        api.post("/contacts/unsubscribe", { email: `a${n}@example.com` }),
      ])
      const { body } = await api.get(`${path}?q=first${n}%20last${n}`)
      expect(body.data).toMatchObject([{ id, subscribed: false }])
      expect((await api.get(`${path}?q=last${n}`)).body.data).toHaveLength(1)
    }
    expect(await countsOf(api, book)).toEqual([5, 0])
  })

  it("consent is kept with its time, and the book's counts follow", async () => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    const contact = await addContact(api, book, { email: "a@example.com" })
    await addContact(api, book, { email: "b@example.com", subscribed: false })
    expect(await countsOf(api, book)).toEqual([2, 1])
    const path = `/contact-books/${book}/contacts/${contact.id}`
    const off = await api.patch(path, { subscribed: false })
    expect(off.body.subscribed).toBe(false)
    expect(Date.parse(off.body.unsubscribedAt)).toBeGreaterThan(0)
    expect(await countsOf(api, book)).toEqual([2, 0])
    await Promise.all([
      api.patch(path, { subscribed: true }),
      api.patch(path, { subscribed: true }),
    ])
    expect((await api.get(path)).body).toMatchObject({ subscribed: true, unsubscribedAt: null })
    expect(await countsOf(api, book)).toEqual([2, 1])
    expect((await api.delete(path)).status).toBe(204)
    expect((await api.delete(path)).status).toBe(404)
    expect(await countsOf(api, book)).toEqual([1, 0])
  })

  it("unsubscribing an address reaches every book, or one, and no suppression", async () => {
    const { api } = await makeTeam()
    const books = [await makeBook(api), await makeBook(api), await makeBook(api)]
    for (const book of books) await addContact(api, book, { email: "a@example.com" })
    const unsubscribe = (fields: object) =>
      api.post("/contacts/unsubscribe", { email: "A@example.com", ...fields })
    const one = await unsubscribe({ bookId: books[0], reason: "Asked by phone" })
    expect(one.body).toEqual({ unsubscribed: 1 })
    const all = await Promise.all([unsubscribe({}), unsubscribe({})])
    expect(all.reduce((sum, { body }) => sum + body.unsubscribed, 0)).toBe(2)
    expect((await unsubscribe({})).body).toEqual({ unsubscribed: 0 })
    for (const book of books) expect(await countsOf(api, book)).toEqual([1, 0])
    const page = await api.get(`/contact-books/${books[0]}/contacts`)
    expect(page.body.data[0]).toMatchObject({
      subscribed: false,
      unsubscribeReason: "Asked by phone",
    })
    expect((await api.get("/suppressions")).body.data).toEqual([])
  })

  it("unsubscribing from many books binds no more than D1 takes, whatever the properties", async () => {
    const { api, id: teamId } = await makeTeam()
    const properties = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`p${index}`, "x".repeat(2_000)]),
    )
    const numbers = "with recursive n (i) as (select 1 union all select i + 1 from n where i < 150)"
    await env.DB.batch([
      env.DB.prepare(
        `insert into contact_books (team_id, id, name, contact_count, subscribed_count, created_at, updated_at)
         ${numbers} select ?, printf('cb_%026d', i), 'Readers', 1, 1, 0, 0 from n`,
      ).bind(teamId),
      env.DB.prepare(
        `insert into contacts (team_id, book_id, id, email, properties, created_at, updated_at)
         ${numbers} select ?, printf('cb_%026d', i), printf('ct_%026d', i), 'a@example.com', ?, 0, 0 from n`,
      ).bind(teamId, JSON.stringify(properties)),
    ])
    let largest = 0
    const prepare = (text: string) => {
      const statement = env.DB.prepare(text)
      const bind = statement.bind.bind(statement)
      return Object.assign(statement, {
        bind: (...values: unknown[]) => {
          largest = Math.max(largest, ...values.map((value) => String(value).length))
          return bind(...values)
        },
      })
    }
    const DB = { prepare, batch: env.DB.batch.bind(env.DB) } as D1Database
    const { work } = testWork({ settings: { DB } })
    const by = { reason: null, actor: { by: "key", actorId: null } } as const
    const unsubscribed = await unsubscribeAddress(work, { teamId, email: "a@example.com", ...by })
    expect(unsubscribed).toBe(150)
    expect(largest).toBeLessThan(2_000_000)
    expect(await countsOf(api, `cb_${"150".padStart(26, "0")}`)).toEqual([1, 0])
  })
})

describe("a list of contacts", () => {
  it("is newest first, a page at a time, filtered by consent", async () => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    for (const name of ["a", "b", "c", "d", "e"]) {
      await addContact(api, book, { email: `${name}@example.com`, subscribed: name !== "c" })
    }
    const path = `/contact-books/${book}/contacts?limit=2`
    const all = ["e", "d", "c", "b", "a"].map((name) => `${name}@example.com`)
    expect(await walk(api, path)).toEqual(all)
    expect(await walk(api, `${path}&subscribed=true`)).toEqual(all.toSpliced(2, 1))
    expect(await walk(api, `${path}&subscribed=false`)).toEqual([all[2]])
    expect((await api.get(`${path}&subscribed=1`)).status).toBe(400)
  })

  it("a search finds an address or a name from its start, each contact once", async () => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    await addContact(api, book, { email: "ada@x.test", firstName: "Ada", lastName: "Adams" })
    await addContact(api, book, { email: "b@x.test", firstName: "ADAM", lastName: "Smith" })
    await addContact(api, book, { email: "c@x.test", firstName: "Éva", lastName: "Ádám" })
    await addContact(api, book, { email: "d@x.test", lastName: "Adair", subscribed: false })
    await addContact(api, book, { email: "e@ada.test", firstName: "Eve" })
    await addContact(api, book, { email: "f@x.test", firstName: "Zoe", lastName: "Adler" })
    const search = (q: string, more = "") =>
      walk(api, `/contact-books/${book}/contacts?limit=1&q=${encodeURIComponent(q)}${more}`)
    expect(await search("ad")).toEqual(["ada@x.test", "d@x.test", "b@x.test", "f@x.test"])
    expect(await search("ADA@")).toEqual(["ada@x.test"])
    await addContact(api, book, { email: "g@bücher.test" })
    expect(await search("g@Bücher.test")).toEqual(["g@xn--bcher-kva.test"])
    expect(await search("ada ad")).toEqual(["ada@x.test"])
    expect(await search("smith")).toEqual(["b@x.test"])
    expect(await search("éV")).toEqual(["c@x.test"])
    expect(await search("Á")).toEqual(["c@x.test"])
    expect(await search("ad", "&subscribed=false")).toEqual(["d@x.test"])
    expect(await search("%")).toEqual([])
    expect(await search("_da")).toEqual([])
    expect(await search("x.test")).toEqual([])
  })

  it.each([
    ["an empty search", "q="],
    ["one of 121 characters", `q=${"a".repeat(121)}`],
    ["a cursor that is none", "cursor=xyz"],
    ["a search's cursor that is none", "q=a&cursor=xyz"],
    [
      "a list's cursor on a search",
      `q=a&cursor=${Buffer.from(newId("contact")).toString("base64url")}`,
    ],
    ["another search's cursor", `q=a&cursor=${searchCursor(["email", "bob", newId("contact")])}`],
    ["a search's cursor of no contact", `q=a&cursor=${searchCursor(["email", "a", "ct_1"])}`],
    [
      "a search's cursor written otherwise",
      `q=a&cursor=${searchCursor(["email", "a", newId("contact")])}=`,
    ],
  ])("refuses %s", async (_, query) => {
    const { api } = await makeTeam()
    const book = await makeBook(api)
    const { status, body } = await api.get(`/contact-books/${book}/contacts?${query}`)
    expect([status, body.error.code]).toEqual([400, "validation_error"])
  })

  it("costs one round trip and as many rows in a big book as in a small one", async () => {
    const { api, id } = await makeTeam()
    await warmed(api)
    const book = await makeBigBook(id, 100_000)
    const path = `/contact-books/${book}/contacts`
    const cost = async (query: string, rows = 25) => {
      let cursor: string | null = null
      const meter = await metered(async () => {
        const { body } = await api.get(`${path}?${query}`)
        expect(body.data).toHaveLength(rows)
        cursor = body.nextCursor
      })
      expect([query, meter.roundTrips, meter.rowsWritten]).toEqual([query, 1, 0])
      return { rowsRead: meter.rowsRead, cursor }
    }
    const unsubscribing = await metered(() =>
      api.post("/contacts/unsubscribe", { email: "ada050001@example.com" }),
    )
    expect(unsubscribing.rowsRead).toBeLessThan(100)
    const list = await cost("")
    expect(list.rowsRead).toBeLessThanOrEqual(35)
    expect((await cost(`cursor=${list.cursor}`)).rowsRead).toBeLessThanOrEqual(35)
    expect((await cost("subscribed=true")).rowsRead).toBeLessThanOrEqual(60)
    expect((await cost("subscribed=false")).rowsRead).toBeLessThanOrEqual(60)
    for (const q of ["a", "ada05", "byron", "ada byron"]) {
      const first = await cost(`q=${q}`)
      expect(first.rowsRead, q).toBeLessThanOrEqual(60)
      const next = await cost(`q=${q}&cursor=${first.cursor}`)
      expect(next.rowsRead, q).toBeLessThanOrEqual(60)
    }
    const atNames = searchCursor(["nameKey", "ada byron", `ct_${"0".repeat(26)}`])
    expect((await cost(`q=a&cursor=${atNames}`, 0)).rowsRead).toBeLessThanOrEqual(60)
    expect((await cost("q=ada0000&subscribed=false", 1)).rowsRead).toBeLessThanOrEqual(60)
    expect((await cost("q=byron&subscribed=false", 1)).rowsRead).toBeLessThanOrEqual(60)
    expect((await cost("q=ada099999@", 1)).rowsRead).toBeLessThanOrEqual(60)
    expect((await cost("q=nobody", 0)).rowsRead).toBeLessThanOrEqual(60)
    const one = await metered(() => api.get(`${path}/ct_${"0".repeat(26)}`))
    expect(one.roundTrips).toBe(1)
    expect(one.rowsRead).toBeLessThanOrEqual(35)
  })
})
