import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { request } from "../../support/api.ts"
import { eventually } from "../../support/eventually.ts"
import { PERSON_ROUND_TRIPS } from "../../support/installation.ts"
import { metered } from "../../support/meter.ts"
import { sessionOf } from "../../support/session.ts"
import { makeTeam, type Team } from "../../support/team.ts"

describe("the list of the test inbox", () => {
  let team: Team
  let cookie: string
  beforeAll(async () => {
    team = await makeTeam()
    cookie = await sessionOf(team.id, "member")
  })
  const list = (query = "") => request("GET", `/dashboard/api/inbox${query}`, undefined, { cookie })

  it("shows who got which subject, newest first, and searches by address", async () => {
    const send = async (to: string, subject: string) => {
      const from = `Shop <shop@${team.domain}>`
      const { body } = await team.api.post("/emails", { from, to, subject, text: "Hi" })
      await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
      return body.id as string
    }
    const first = await send("ada@example.com", "One")
    const second = await send("Grace <grace@example.com>", "Two")
    const { status, body } = await list()
    expect(status).toBe(200)
    const common = { from: `Shop <shop@${team.domain}>`, createdAt: expect.any(String) }
    expect(body).toEqual({
      data: [
        { ...common, id: second, to: ["grace@example.com"], subject: "Two" },
        { ...common, id: first, to: ["ada@example.com"], subject: "One" },
      ],
      nextCursor: null,
    })
    const found = await list("?to=Ada@example.com")
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([first])
    const page = await list("?limit=1")
    const next = await list(`?limit=1&cursor=${page.body.nextCursor}`)
    expect(next.body.data[0].id).toBe(first)
    const third = await send("eve@bücher.example", "Three")
    const international = await list(`?q=${encodeURIComponent("eve@Bücher.example")}`)
    expect(international.body.data).toMatchObject([{ id: third }])
  })

  it("costs one round trip and the rows of a page, among many", async () => {
    await env.DB.batch([
      env.DB.prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
         insert into sandbox_messages (team_id, email_id, sender, recipients, created_at)
         select ?1, printf('em_%026d', i), 'a@b.co', '[]', 0 from n`,
      ).bind(team.id),
    ])
    await list()
    const meter = await metered(async () => {
      const { body } = await list()
      expect(body.data).toHaveLength(25)
    })
    expect(meter).toMatchObject({ roundTrips: 1 + PERSON_ROUND_TRIPS, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(2 * 26 + 10)
  })
})

describe("the source of a message in the test inbox", () => {
  const html = "<p>Hi</p>"

  it("has the same bytes at each reading", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/emails", {
      from: `Shop <shop@${team.domain}>`,
      to: "Ada <ada@example.com>",
      bcc: "secret@example.com",
      subject: "Hello",
      html,
      headers: { "X-Order": "7" },
      attachments: [
        { filename: "a.txt", content: Buffer.from("A file").toString("base64") },
        { filename: "large.bin", content: Buffer.alloc(90_001, "x").toString("base64") },
      ],
    })
    const read = async (query = "") =>
      (await team.api.get(`/sandbox/messages?emailId=${body.id}${query}`)).body.data[0]
    const first = await read("&wait=30")
    expect(first).toMatchObject({
      subject: "Hello",
      html,
      text: "Hi",
      headers: { "x-order": "7", to: "Ada <ada@example.com>" },
      attachments: [
        { filename: "a.txt", size: 6 },
        { filename: "large.bin", size: 90_001 },
      ],
    })
    expect(first.raw).not.toContain("secret@example.com")
    expect(await read()).toEqual(first)
  })
})

it.each([10, 600_000])(
  "the sender's own Message-ID is that of the message, with %i characters",
  async (characters) => {
    const team = await makeTeam()
    const messageId = `<CAF.7+x=Y@Mail.${team.domain}>`
    const email = { from: `A@${team.domain}`, to: "b@example.com", subject: "Hi", messageId }
    const { body } = await team.api.post("/emails", { ...email, text: "x".repeat(characters) })
    const list = await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
    expect(list.body.data[0].headers["message-id"]).toBe(messageId)
    const stored = env.DB.prepare("select provider_message_id as id from emails where id = ?")
    await eventually(async () => {
      expect(await stored.bind(body.id).first()).toEqual({ id: messageId })
    })
  },
)

it.each([
  ["short", 10],
  ["long", 600_000],
])("the headers of a %s message are those of its source", async (_length, characters) => {
  const team = await makeTeam()
  const email = { from: `a@${team.domain}`, to: "b@example.com", subject: "Hi" }
  const { body } = await team.api.post("/emails", { ...email, text: "x".repeat(characters) })
  const list = await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
  const [{ headers, raw, text }] = list.body.data
  expect(text).toHaveLength(characters)
  for (const name of ["content-type", "content-transfer-encoding", "message-id"]) {
    expect(raw.toLowerCase()).toContain(`${name}: ${headers[name].toLowerCase()}\r\n`)
  }
})

describe("a search in the test inbox", () => {
  const START = Date.parse("2026-03-01T00:00:00Z")

  async function open() {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "member")
    const list = (query: string) =>
      request("GET", `/dashboard/api/inbox?${query}`, undefined, { cookie })
    return { team, list }
  }

  it("finds words of the subject and the start of an address, as the API does", async () => {
    const { team, list } = await open()
    const send = async (to: string, subject: string) => {
      const from = `shop@${team.domain}`
      const { body } = await team.api.post("/emails", { from, to, subject, text: "Hi" })
      await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
      return body.id as string
    }
    const code = await send("ada@example.com", "Your sign-in code: 4711")
    const reset = await send("Grace <grace@example.com>", "Größe geändert")
    for (const [q, found] of [
      ["CODE sign", [code]],
      ["4711", [code]],
      ["größ", [reset]],
      ["ode", []],
      ["Grace@exam", [reset]],
      ["race", []],
      ["example.com", []],
    ] as const) {
      const query = `q=${encodeURIComponent(q)}`
      const { body } = await list(query)
      expect([q, body.data.map(({ id }: { id: string }) => id)]).toEqual([q, found])
      const { body: messages } = await team.api.get(`/sandbox/messages?${query}`)
      const ids = messages.data.map(({ emailId }: { emailId: string }) => emailId)
      expect([q, ids]).toEqual([q, found])
      expect([body.nextCursor, messages.nextCursor]).toEqual([null, null])
    }
    expect((await list("q=code&to=grace@example.com")).body.data).toEqual([])
    expect((await list("q=--")).status).toBe(400)
    expect((await list("Q=code")).status).toBe(400)
  })

  it("finds codes, words of the text, and words and addresses of links", async () => {
    const { team, list } = await open()
    const send = async (content: object) => {
      const email = { from: `shop@${team.domain}`, to: "ada@example.com", subject: "Hi" }
      const { body } = await team.api.post("/emails", { ...email, ...content })
      await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
      return body.id as string
    }
    const code = await send({ html: "<p>Your code is <b>482 913</b>, valid for ten minutes</p>" })
    const link = await send({
      html: '<a href="https://shop.test/reset?token=aBc123xyz">Choose a password</a>',
    })
    const html = await send({ html: "<h1>Größe</h1><p>Only in html</p>", text: "" })
    const long = await send({ text: `${"lorem ipsum ".repeat(50_000)} AB12-CD34` })
    for (const [q, found] of [
      ["482 913", [code]],
      ["482913", [code]],
      ["Ten valid", [code]],
      ["82913", []],
      ["choose password", [link]],
      ["shop.test/reset", [link]],
      ["abc123XYZ", [link]],
      ["größe html", [html]],
      ["b c", []],
      ["lorem", [long]],
      ["AB12-CD34", []],
    ] as const) {
      const { body } = await list(`q=${encodeURIComponent(q)}`)
      expect([q, body.data.map(({ id }: { id: string }) => id)]).toEqual([q, found])
    }
  })

  it("reads 1,000 messages a page, and says how far back it has looked", async () => {
    const { team, list } = await open()
    const rows = Array.from({ length: 1_500 }, (_, at) => ({
      id: newId("email", START + at),
      to: at === 3 ? "needle@example.com" : "hay@example.com",
    }))
    await env.DB.prepare(
      `insert into sandbox_messages (team_id, email_id, sender, recipients, created_at)
       select ?1, value ->> 'id', 'a@b.co', json_array(value ->> 'to'), 0 from json_each(?2)`,
    )
      .bind(team.id, JSON.stringify(rows))
      .run()
    const { body } = await list("q=needle")
    expect(body).toEqual({
      data: [],
      nextCursor: expect.any(String),
      searchedUntil: new Date(START + 500).toISOString(),
    })
    const { body: next } = await list(`q=needle&cursor=${body.nextCursor}`)
    expect(next.data.map(({ id }: { id: string }) => id)).toEqual([rows[3]?.id])
    expect([next.nextCursor, next.searchedUntil]).toEqual([null, undefined])
    const cost = await metered(() => list("q=needle"))
    expect(cost.roundTrips).toBe(1 + PERSON_ROUND_TRIPS)
    expect(cost.rowsRead).toBeLessThan(7_000)
  })
})
