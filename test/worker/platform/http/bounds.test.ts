import { describe, expect, it } from "vitest"
import { type Reply, request } from "../../../support/api.ts"
import { campaignInput, makeBook } from "../../../support/campaign.ts"
import { eventually } from "../../../support/eventually.ts"
import { metered } from "../../../support/meter.ts"
import { sessionOf } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"

const many = (count: number, value: unknown) => Array(count).fill(value)
const named = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, {}]))

describe("what is over its bound", () => {
  it.each([
    ["a list", { to: many(125_000, {}) }, ["to"], "At most 50 items"],
    ["tags", { tags: named(90_000) }, ["tags"], "At most 20 members"],
    ["headers", { headers: named(90_000) }, ["headers"], "At most 100 members"],
    ["attachments", { attachments: many(90_000, {}) }, ["attachments"], "At most 20 items"],
    ["text", { subject: "x", from: "x".repeat(321) }, ["from"], "At most 320 characters"],
    ["unknown members", named(1_001), [], "At most 1000 members"],
  ])("%s is refused by its size, with one issue", async (_name, body, path, message) => {
    const { api } = await makeTeam()
    const single = await api.post("/emails", body)
    expect([single.status, single.body.error.details]).toEqual([400, [{ path, message }]])
    const batch = await api.post("/emails/batch", [body])
    expect([batch.status, batch.body.error.details]).toEqual([
      400,
      { index: 0, cause: [{ path, message }] },
    ])
  })

  it("is refused before it is parsed: a body of too many values", async () => {
    const { api } = await makeTeam()
    const { status, body } = await api.post("/emails", `[${"[],".repeat(300_000)}1]`)
    expect([status, body.error.details]).toEqual([
      400,
      [{ path: [], message: "The body may have at most 300000 values" }],
    ])
  })
})

describe("a refusal", () => {
  it("names at most 100 issues, and says how many more there are", async () => {
    const team = await makeTeam()
    const input = campaignInput(team, await makeBook(team, []))
    const { status, body } = await team.api.post("/campaigns", { ...input, blocks: many(100, {}) })
    expect([status, body.error.details.length]).toEqual([400, 100])
    const columns = { kind: "columns", layout: "1-1", columns: many(2, many(100, {})) }
    const { body: more } = await team.api.post("/campaigns", { ...input, blocks: [columns] })
    expect(more.error.details).toHaveLength(100)
    expect(more.error.message).toMatch(/ \(and 100 more issues\)$/)
  })

  it("repeats no long name and no long address", async () => {
    const { api } = await makeTeam()
    const long = await api.post("/emails", { tags: { ["k".repeat(100_000)]: "v" } })
    expect(JSON.stringify(long.body).length).toBeLessThan(2_000)
    const { body: book } = await api.post("/contact-books", { name: "Readers" })
    const csv = `email\n${"x".repeat(100_000)}`
    const { body } = await api.post(`/contact-books/${book.id}/contacts/import`, { csv })
    expect(body.errors[0].email).toHaveLength(320)
  })
})

describe("a batch of templates", () => {
  it("names templates of at most 8 MiB in all, and loads none of them otherwise", async () => {
    const { api, domain } = await makeTeam()
    const bodyHtml = "x".repeat(1_000_000)
    const emails = []
    for (let index = 0; index < 9; index++) {
      const slug = `t${index}`
      await api.post("/templates", { slug, name: "T", subject: "Hi", bodyHtml })
      emails.push({ from: `a@${domain}`, to: "b@example.com", template: slug })
    }
    expect((await api.post("/emails/batch", emails.slice(1))).status).toBe(201)
    const { status, body } = await api.post("/emails/batch", emails)
    expect([status, body.error.details]).toEqual([413, { index: 0 }])
    expect(body.error.message).toMatch(/All templates that a call names/)
  })

  it("renders no more placeholders than it may have characters", async () => {
    const { api, domain } = await makeTeam()
    const bodyHtml = "{{a}} ".repeat(150_000)
    await api.post("/templates", { slug: "t", name: "T", subject: "Hi", bodyHtml })
    const email = { from: `a@${domain}`, to: "b@example.com", template: "t", variables: { a: "b" } }
    expect((await api.post("/emails", email)).status).toBe(201)
    const { status, body } = await api.post("/emails/batch", many(100, email))
    expect([status, body.error.details]).toEqual([413, { index: 1 }])
  })
})

describe("a page of large records", () => {
  const LARGE = 300_000
  const lengths = [10, LARGE, LARGE, 20, 30]

  /** The large members of the records of each page. */
  async function walk(get: (query: string) => Promise<Reply>, limit: number, name: string) {
    const pages: number[][] = []
    for (let cursor: string | null = ""; cursor !== null; ) {
      const after: string = cursor && `&cursor=${cursor}`
      const { body } = await get(`?limit=${limit}${after}`)
      pages.push(body.data.map((one: Record<string, unknown>) => sizeOf(one[name])))
      cursor = body.nextCursor
    }
    return pages
  }
  const sizeOf = (value: unknown) =>
    typeof value === "string" ? value.length : JSON.stringify(value).length

  it("of templates ends before a large one, which is a page of its own", async () => {
    const { api } = await makeTeam()
    for (const [index, length] of lengths.entries()) {
      const bodyHtml = "x".repeat(length)
      await api.post("/templates", { slug: `t${index}`, name: "T", subject: "Hi", bodyHtml })
    }
    const get = (query: string) => api.get(`/templates${query}`)
    expect(await walk(get, 100, "bodyHtml")).toEqual([[30, 20], [LARGE], [LARGE], [10]])
    expect(await walk(get, 1, "bodyHtml")).toEqual([[30], [20], [LARGE], [LARGE], [10]])
    expect(await walk(get, 5, "bodyHtml")).toEqual([[30, 20, LARGE, LARGE, 10]])
    const meter = await metered(() => get("?limit=4"))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(4 + 10)
  })

  it("of a template leaves out its oldest versions", async () => {
    const { api } = await makeTeam()
    const bodyOf = (version: number) => `${version}${"x".repeat(1_000_000)}`
    await api.post("/templates", { slug: "t", name: "T", subject: "Hi", bodyHtml: bodyOf(1) })
    for (let version = 2; version <= 10; version++) {
      await api.patch("/templates/t", { bodyHtml: bodyOf(version) })
    }
    const { body } = await api.get("/templates/t")
    const versions = body.versions.map(({ version }: { version: number }) => version)
    expect(versions).toEqual([10, 9, 8, 7, 6])
    expect(body.versions[4].snapshot.bodyHtml).toBe(bodyOf(6))
    const meter = await metered(() => api.get("/templates/t"))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
  })

  it("of campaigns and layouts, too", async () => {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "owner")
    const inDashboard = (method: string, path: string, body?: unknown) =>
      request(method, `/dashboard/api${path}`, body, { cookie })
    const input = campaignInput(team, await makeBook(team, []))
    const small = [{ kind: "divider" }]
    const large = Array(10).fill({ kind: "text", html: "x".repeat(9_990) })
    for (const blocks of [small, large, small]) {
      await team.api.post("/campaigns", { ...input, blocks })
      await inDashboard("POST", "/layouts", { name: "L", blocks })
    }
    const [few, many] = [sizeOf(small), sizeOf(large)]
    const pages = [[few], [many], [few]]
    expect(await walk((query) => team.api.get(`/campaigns${query}`), 100, "blocks")).toEqual(pages)
    expect(await walk((query) => inDashboard("GET", `/layouts${query}`), 100, "blocks")).toEqual(
      pages,
    )
  })

  it("of events, too", async () => {
    const { api, domain } = await makeTeam()
    const events = ["email.sent"]
    await api.post("/webhooks", { url: "https://hooks.example.com", events })
    const mailbox = (index: number) => `${"\u4e00".repeat(300)} <a${index}@b.co>`
    const counts = [1, 49, 48, 2, 3]
    const long = "\u4e00".repeat(256)
    const tags = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`t${index}`, long]))
    for (const [index, count] of counts.entries()) {
      const to = "stuck@simulator.amazonses.com"
      const email = { from: `a@${domain}`, to, subject: "Hi", text: "Hi" }
      const replyTo = Array.from({ length: count }, (_, index) => mailbox(index))
      await api.post("/emails", { ...email, replyTo, tags: count > 3 ? tags : {} })
      await eventually(async () => {
        const { body } = await api.get(`/events?limit=1&after=${index}`)
        expect(body.data).toHaveLength(1)
      })
    }
    const told: number[][] = []
    for (let after = 0, isOver = false; !isOver; ) {
      const { body } = await api.get(`/events?limit=100&after=${after}`)
      const shown = body.data.map(
        ({ data }: { data: { email: { replyTo: string[] } } }) => data.email.replyTo.length,
      )
      if (shown.length > 0) told.push(shown)
      isOver = body.nextAfter === after
      after = body.nextAfter
    }
    expect(told).toEqual([[1], [49], [48], [2, 3]])
  })

  it("of the test inbox ends with the message that makes it large", async () => {
    const { api, domain } = await makeTeam()
    for (const length of [10, 1_500_000, 1_500_000, 20]) {
      const email = { from: `a@${domain}`, to: "b@example.com", subject: "Hi" }
      const { body } = await api.post("/emails", { ...email, text: "x".repeat(length) })
      await api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
    }
    const get = (query: string) => api.get(`/sandbox/messages${query}`)
    expect(await walk(get, 25, "text")).toEqual([[20, 1_500_000, 1_500_000], [10]])
  })
})
