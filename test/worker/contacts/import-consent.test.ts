import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import type { Api } from "../../support/api.ts"
import { makeTeam } from "../../support/team.ts"

let api: Api
beforeAll(async () => {
  api = (await makeTeam()).api
})

const makeBook = async () => (await api.post("/contact-books", { name: "Consent" })).body.id

const importInto = async (book: string, csv: string, more: object = {}) =>
  (await api.post(`/contact-books/${book}/contacts/import`, { csv, ...more })).body

const listOf = async (book: string) =>
  (await api.get(`/contact-books/${book}/contacts?limit=100`)).body.data.toReversed()

async function subscribedOf(book: string): Promise<string[]> {
  // biome-ignore lint/suspicious/noExplicitAny: contacts as the wire shows them
  const subscribed = (await listOf(book)).filter((contact: any) => contact.subscribed)
  return subscribed.map(({ email }: { email: string }) => email)
}

describe("a column that may be consent", () => {
  it.each([
    ["unsubscribed", "true", "false"],
    ["status", "unsubscribed", "subscribed"],
    ["opt_out", "1", "0"],
    ["subscribed_to_emails", "false", "true"],
    ["unsubscribed_at", "2024-03-13 11:33:53 UTC", ""],
    ["status", "customer", "active"],
    ["newsletter", "", "yes"],
  ])("subscribes only a clear yes, and is named: %s", async (column, no, yes) => {
    const book = await makeBook()
    const report = await importInto(book, `email,${column}\nno@x.test,${no}\nyes@x.test,${yes}`)
    expect(report).toMatchObject({ imported: 2, errors: [] })
    expect(report.warnings).toMatchObject([{ column, message: expect.stringContaining("1 of 2") }])
    expect(await subscribedOf(book)).toEqual(["yes@x.test"])
    const [left] = await listOf(book)
    expect(left.properties).toEqual(no ? { [column]: no } : {})
  })

  it("of which any says no is a no", async () => {
    const book = await makeBook()
    const csv = "email,subscribed,status,opt_out\na@x.test,yes,active,1\nb@x.test,yes,active,0"
    await importInto(book, csv)
    expect(await subscribedOf(book)).toEqual(["b@x.test"])
  })

  it("does not outweigh the column subscribed with a value that nobody knows", async () => {
    const book = await makeBook()
    await importInto(book, "email,subscribed,status\na@x.test,yes,gold\nb@x.test,,gold")
    expect(await subscribedOf(book)).toEqual(["a@x.test"])
  })

  it("takes consent from contacts of the book only with a clear no", async () => {
    const book = await makeBook()
    await importInto(book, "email\na@x.test\nb@x.test")
    const csv = "email,status\na@x.test,customer\nb@x.test,cancelled\nc@x.test,customer"
    await importInto(book, csv)
    expect(await subscribedOf(book)).toEqual(["a@x.test"])
  })

  it("suppresses nobody without a word", async () => {
    const book = await makeBook()
    await importInto(book, "email,status\nguessed@x.test,bounced")
    const { body } = await api.get("/suppressions?q=guessed@x.test")
    expect(body.data).toEqual([])
  })

  it("is not warned of where no column is", async () => {
    const book = await makeBook()
    const report = await importInto(book, "email,city\na@x.test,Rome")
    expect(report).toEqual({ imported: 1, updated: 0, skipped: 0, duplicates: 0, errors: [] })
  })
})

describe("the call says what columns mean", () => {
  const status = {
    active: "subscribed",
    gone: "unsubscribed",
    dead: "bounced",
    angry: "complained",
    test: "skip",
  }

  it("by their values, and others are no yes", async () => {
    const book = await makeBook()
    const csv =
      "email,Status\na@x.test,Active\nb@x.test,gone\nc@x.test,dead\nd@x.test,angry\ne@x.test,test\nf@x.test,new"
    const report = await importInto(book, csv, { columns: { status } })
    expect(report).toEqual({
      ...{ imported: 5, updated: 0, skipped: 1, duplicates: 0, errors: [], suppressed: 2 },
    })
    expect(await subscribedOf(book)).toEqual(["a@x.test"])
    expect((await listOf(book))[0].properties).toEqual({})
    const listed = async (email: string) =>
      (await api.get(`/suppressions?q=${email}`)).body.data.map(
        ({ reason }: { reason: string }) => reason,
      )
    expect(await listed("c@x.test")).toEqual(["bounce"])
    expect(await listed("d@x.test")).toEqual(["complaint"])
    expect(await listed("b@x.test")).toEqual([])
  })

  it("also for all values that are not named", async () => {
    const book = await makeBook()
    const columns = { left_on: { "": "subscribed", "*": "unsubscribed" } }
    await importInto(book, "email,left_on\na@x.test,\nb@x.test,May", { columns })
    expect(await subscribedOf(book)).toEqual(["a@x.test"])
  })

  it("as fields, as the opposite of consent, as properties, or not at all", async () => {
    const book = await makeBook()
    const csv =
      "Mail,Vorname,Raus,status,subscribed,Notiz\na@x.test,Ada,nein,gold,no,x\nb@x.test,Bob,ja,gold,no,y"
    const columns = {
      ...{ mail: "email", vorname: "firstName", raus: "unsubscribed", status: "property" },
      ...{ subscribed: "skip", notiz: "skip" },
    }
    const report = await importInto(book, csv, { columns })
    expect(report.warnings).toBeUndefined()
    expect(await listOf(book)).toMatchObject([
      { email: "a@x.test", firstName: "Ada", subscribed: true, properties: { status: "gold" } },
      { email: "b@x.test", firstName: "Bob", subscribed: false },
    ])
  })

  it("of the file, else the call is refused", async () => {
    const book = await makeBook()
    const reply = await api.post(`/contact-books/${book}/contacts/import`, {
      csv: "email\na@x.test",
      columns: { status: "skip" },
    })
    expect([reply.status, reply.body.error.code]).toEqual([400, "validation_error"])
  })
})

it("a file of people who left takes consent from contacts, and adds nobody who has it", async () => {
  const book = await makeBook()
  await importInto(book, "email\na@x.test\nb@x.test")
  const report = await importInto(book, "email\na@x.test\nc@x.test", { subscribed: false })
  expect(report).toMatchObject({ imported: 1, updated: 1 })
  expect(await subscribedOf(book)).toEqual(["b@x.test"])
})

it("a dry run counts who would be subscribed, and suppresses nobody", async () => {
  const book = await makeBook()
  const csv = "email,status\ndry@x.test,dead\nok@x.test,ok"
  const columns = { status: { ok: "subscribed", dead: "bounced" } }
  const report = await importInto(book, csv, { columns, dryRun: true })
  expect(report).toMatchObject({ imported: 2, subscribed: 1, suppressed: 1 })
  expect((await api.get("/suppressions?q=dry@x.test")).body.data).toEqual([])
})

describe("what an export writes", () => {
  it("are properties of any name, and texts as they were", async () => {
    const book = await makeBook()
    const csv =
      "email,first_name,subscribed,properties.email,properties.status,properties.City,properties.note\na@x.test,'=Ada,true,other,left,Rome,'=1+1\nb@x.test,Bob,true,,,,'+4722000000"
    const report = await importInto(book, csv)
    expect(report.warnings).toBeUndefined()
    const properties = { email: "other", status: "left", City: "Rome", note: "=1+1" }
    expect(await listOf(book)).toMatchObject([
      { email: "a@x.test", firstName: "=Ada", subscribed: true, properties },
      { email: "b@x.test", properties: { note: "'+4722000000" } },
    ])
  })

  it("are choices of topics: a no stands, and the history tells of them", async () => {
    const [news, offers] = await Promise.all(
      ["News", "Offers"].map(async (name) => (await api.post("/topics", { name })).body.id),
    )
    const book = await makeBook()
    const contacts = `/contact-books/${book}/contacts`
    const known = await api.post(contacts, {
      email: "known@topics.test",
      topics: { [news]: false },
    })
    const csv = `email,topics.${news},topics.${offers}\nknown@topics.test,true,false\nnew@topics.test,false,true\nnone@topics.test,,`
    const report = await importInto(book, csv)
    expect(report).toMatchObject({ imported: 2, updated: 1, errors: [] })
    expect((await listOf(book)).map(({ topics }: { topics: object }) => topics)).toEqual([
      { [news]: false, [offers]: false },
      { [news]: false, [offers]: true },
      {},
    ])
    const before = (await api.get(`${contacts}/${known.body.id}`)).body
    await importInto(book, csv)
    expect((await api.get(`${contacts}/${known.body.id}`)).body.topics).toEqual(before.topics)
  })

  it("are refused where a topic is unknown", async () => {
    const other = await makeTeam()
    const topic = (await other.api.post("/topics", { name: "Theirs" })).body.id
    const reply = await api.post(`/contact-books/${await makeBook()}/contacts/import`, {
      csv: `email,topics.${topic}\na@x.test,true`,
    })
    expect(reply.status).toBe(400)
  })
})

describe("a contact that was deleted", () => {
  async function makeDeleted(consents: boolean[]) {
    const book = await makeBook()
    const contacts = `/contact-books/${book}/contacts`
    for (const subscribed of consents) {
      const { body } = await api.post(contacts, { email: "a@x.test", subscribed })
      await api.delete(`${contacts}/${body.id}`)
    }
    return { book, contacts }
  }

  it("after it had unsubscribed, comes again unsubscribed in an import", async () => {
    const { book } = await makeDeleted([false])
    const csv = "email,subscribed\nA@x.test,yes\nb@x.test,yes"
    const dry = await importInto(book, csv, { dryRun: true })
    expect(dry).toMatchObject({ imported: 2, subscribed: 1 })
    expect(await importInto(book, csv)).toMatchObject({ imported: 2 })
    expect(await subscribedOf(book)).toEqual(["b@x.test"])
    const { body } = await api.get(`/contact-books/${book}`)
    expect([body.contactCount, body.subscribedCount]).toEqual([2, 1])
  })

  it("while it was subscribed, comes again subscribed, also if it had left before", async () => {
    const { book } = await makeDeleted([false, true])
    await importInto(book, "email\na@x.test")
    expect(await subscribedOf(book)).toEqual(["a@x.test"])
  })

  it("comes again as the call says that adds it alone, and in another book", async () => {
    const { contacts } = await makeDeleted([false])
    const { body } = await api.post(contacts, { email: "a@x.test", subscribed: true })
    expect(body.subscribed).toBe(true)
    const other = await makeBook()
    await importInto(other, "email\na@x.test")
    expect(await subscribedOf(other)).toEqual(["a@x.test"])
  })

  it("leaves no address, and nothing after its book was deleted", async () => {
    const { book } = await makeDeleted([false])
    const rows = () =>
      env.DB.prepare("select * from contact_refusals where book_id = ?").bind(book).all()
    expect(JSON.stringify((await rows()).results)).not.toContain("a@x.test")
    expect((await rows()).results).toHaveLength(1)
    await api.delete(`/contact-books/${book}`)
    expect((await rows()).results).toEqual([])
  })
})
