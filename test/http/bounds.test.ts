import { describe, expect, it } from "vitest"
import { campaignInput, makeBook } from "../support/campaign.ts"
import { makeTeam } from "../support/team.ts"

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

  it("as a body of too many values is refused before it is parsed", async () => {
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
