import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import worker from "../../../../src/worker/index.ts"
import type { Env } from "../../../../src/worker/platform/env.ts"
import { BASE_URL } from "../../../support/api.ts"
import { expectOwnCheap } from "../../../support/own-cost.ts"
import { makeTeam, type Team } from "../../../support/team.ts"

let team: Team
beforeAll(async () => {
  team = await makeTeam()
})

/** Does not parse the reply: that is the caller's time. */
async function expectCheapPost(path: string, body: string, status: number): Promise<void> {
  const bytes = Buffer.from(body)
  const headers = {
    authorization: `Bearer ${team.api.key}`,
    "content-length": String(bytes.length),
  }
  const send = async (env: Env, execution: ExecutionContext) => {
    const request = new Request(`${BASE_URL}/api/v1${path}`, {
      method: "POST",
      headers,
      body: bytes,
    })
    const response = await worker.fetch(request, env, execution)
    expect([response.status, (await response.arrayBuffer()).byteLength > 0]).toEqual([status, true])
  }
  // On some machines, letters of two bytes take long to read.
  await expectOwnCheap(send, () => JSON.parse(new TextDecoder().decode(bytes)))
}

const filled = (part: string) => part.repeat(Math.floor(5_000_000 / part.length))
const HTML = filled("<p>Hello there, how are you?</p>\n")
const CYRILLIC = filled(
  "<p>\u0434\u0430 \u0434\u0430, \u043a\u0430\u043a \u0434\u0435\u043b\u0430?</p>\n",
)
const CHINESE = filled("<p>\u4f60\u597d\uff0c\u4eca\u5929\u600e\u4e48\u6837</p>\n")
const FILE = {
  filename: "a.bin",
  content: Buffer.alloc(10 * 1024 * 1024, "abc").toString("base64"),
}

describe("the Worker's own steps cost little for a send of", () => {
  const email = { to: "stuck@simulator.amazonses.com", subject: "Hi" }
  it.each<[string, object]>([
    ["html and text", { html: HTML, text: HTML }],
    ["html and text in letters of two bytes", { html: CYRILLIC, text: CYRILLIC }],
    ["html in letters of three bytes", { html: CHINESE }],
    ["a file of 10 MiB", { text: "Hi", attachments: [FILE] }],
    ["html and a file", { html: CYRILLIC, attachments: [FILE] }],
  ])("%s", async (_what, parts) => {
    const body = JSON.stringify({ from: `a@${team.domain}`, ...email, ...parts })
    await expectCheapPost("/emails", body, 201)
  })

  it("escaped letters", async () => {
    const text = "\\u0434".repeat(4_000_000)
    const { to, subject } = email
    const body = `{"from":"a@${team.domain}","to":"${to}","subject":"${subject}","text":"${text}"}`
    await expectCheapPost("/emails", body, 201)
  })

  it("a hundred emails of 240 KB", async () => {
    const one = { from: `a@${team.domain}`, ...email, html: HTML.slice(0, 240_000) }
    await expectCheapPost("/emails/batch", JSON.stringify(Array(100).fill(one)), 201)
  })
})

describe("the Worker's own steps cost little for a check of", () => {
  const MEGABYTES = 3_000_000
  const repeated = (part: string) => part.repeat(Math.floor(MEGABYTES / part.length))
  it.each([
    ["paragraphs", "<p>Hello there, how are you?</p>\n"],
    ["short links", '<a href="http://a.b">c</a>'],
    ["links that show a host", '<a href="https://example.com/a">www.example.org/b</a> '],
    ["links with entities", '<a href="https://e.com/?a=1&amp;b=2">x &amp; y</a>'],
    ["tags that nothing closes", "<a href=x>"],
    ["images", "<img src=a>"],
    ["placeholders that are not closed", "{{a"],
    ["styles", '<b style="color: red; margin: 0 0 0 0">x</b>'],
  ])("3 MB of %s", async (_what, part) => {
    const body = JSON.stringify({
      from: `a@${team.domain}`,
      to: "b@example.com",
      subject: "Hi",
      html: repeated(part),
    })
    await expectCheapPost("/emails/check", body, 200)
  })
})

describe("the Worker's own steps cost little for a webhook that is refused, with", () => {
  const url = "https://receiver.example.com/"
  it.each([
    ["a long host", { url: `https:${"x".repeat(100_000)}` }],
    ["a long URL", { url: url + "x".repeat(1_000_000) }],
    ["70,000 unknown events", { events: Array(70_000).fill("email.none") }],
    ["70,000 times one event", { events: Array(70_000).fill("email.sent") }],
  ])("%s", async (_what, wrong) => {
    const body = JSON.stringify({ url, events: ["email.sent"], ...wrong })
    await expectCheapPost("/webhooks", body, 400)
  })
})

it("the Worker's own steps cost little for a segment of contacts with combining accents", async () => {
  const bookId = (await team.api.post("/contact-books", { name: "Readers" })).body.id
  const conditions = Array.from({ length: 20 }, (_, index) => ({
    ...{ field: `properties.p${index % 7}`, op: "contains", value: "o\u0308".repeat(250) },
  }))
  const filter = { any: conditions }
  const { body: segment } = await team.api.post("/segments", { bookId, name: "S", filter })
  const properties = Object.fromEntries(
    Array.from({ length: 7 }, (_, index) => [`p${index}`, `${index}${"a\u0308".repeat(650)}`]),
  )
  for (let copy = 0; copy < 5; copy++) {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
      insert into contacts (team_id, book_id, id, email, properties, subscribed, created_at, updated_at)
      select ?1, ?2, 'ct_' || printf('%026d', i + 1000 * ?4), i + 1000 * ?4 || '@example.com', ?3, 1, 0, 0
      from n`,
    )
      .bind(team.id, bookId, JSON.stringify(properties), copy)
      .run()
  }
  const headers = { authorization: `Bearer ${team.api.key}` }
  await expectOwnCheap(async (env, execution) => {
    const request = new Request(`${BASE_URL}/api/v1/segments/${segment.id}/contacts?limit=100`, {
      headers,
    })
    const response = await worker.fetch(request, env, execution)
    expect([response.status, (await response.text()).length > 0]).toEqual([200, true])
  })
})

describe("the Worker's own steps cost little for an import of 10,000 rows with", () => {
  const csvOf = (columns: number, value: string) => {
    const indexes = Array.from({ length: columns }, (_, index) => index)
    const rows = Array.from(
      { length: 10_000 },
      (_, row) => `a${row}@b.co,Ada,${indexes.map(() => value)}`,
    )
    return [`email,first_name,${indexes.map((index) => `p${index}`)}`, ...rows].join("\n")
  }

  it.each([
    ["one long property", 1, "x".repeat(150)],
    ["four properties", 4, "x".repeat(35)],
    ["twenty properties", 20, "xxx"],
    ["fifty empty cells", 50, ""],
  ])("%s", async (_what, columns, value) => {
    const { body: book } = await team.api.post("/contact-books", { name: "Readers" })
    const body = JSON.stringify({ csv: csvOf(columns, value) })
    await expectCheapPost(`/contact-books/${book.id}/contacts/import`, body, 200)
  })
})
