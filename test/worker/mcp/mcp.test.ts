import { env, exports } from "cloudflare:workers"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { beforeAll, describe, expect, it } from "vitest"
import { TOOLS } from "../../../src/worker/mcp/tools.ts"
import { BASE_URL, request } from "../../support/api.ts"
import { fakeInternet } from "../../support/internet.ts"
import { makeStage, send, wait } from "../../support/sequence.ts"
import { addKey, makeTeam, type Team } from "../../support/team.ts"
import { message } from "../platform/http/examples.ts"

beforeAll(() => {
  fakeInternet()
})

type Mode = "auto" | "legacy"

/** The protocol's own client. */
async function connect(key: string, mode: Mode = "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", BASE_URL), {
    fetch: (url, init) => exports.default.fetch(new Request(url, init as RequestInit)),
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return client
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
  const [first] = content as { type: string; text: string }[]
  const value = JSON.parse(first!.text)
  expect(structuredContent).toEqual(isError ? undefined : value)
  return { isError, value }
}

const keyed = (team: Team) => ({ ...message(team), idempotencyKey: "first" })

const post = (body: unknown, headers: Record<string, string>) =>
  request("POST", "/mcp", body, {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  })

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }

describe.each<[Mode, string]>([
  ["auto", "2026-07-28"],
  ["legacy", "2025-11-25"],
])("a client that negotiates as %s", (mode, version) => {
  it("finds the tools, and sends, reads and explains an email", async () => {
    const team = await makeTeam()
    const client = await connect(team.api.key, mode)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))

    const { value: check } = await call(client, "check_email", message(team))
    expect(check).toMatchObject({ wouldSend: true, refusal: null })
    const { value: sent, isError } = await call(client, "send_email", keyed(team))
    expect([isError, sent]).toEqual([false, { id: expect.stringMatching(/^em_/) }])

    const { value: inbox } = await call(client, "read_test_inbox", { emailId: sent.id, wait: 30 })
    expect(inbox.data).toMatchObject([{ emailId: sent.id, subject: "Hello" }])
    const { value: email } = await call(client, "get_email", sent)
    expect(email).toMatchObject({ id: sent.id, to: ["someone@example.com"] })
    const { value: found } = await call(client, "search_emails", {
      to: "someone@example.com",
      status: ["delivered", "sent", "sending", "queued"],
      opened: false,
      limit: 1,
    })
    expect(found).toMatchObject({ data: [{ id: sent.id }], nextCursor: null })
    const { value: before } = await call(client, "search_emails", { until: email.createdAt })
    expect(before.data).toEqual([])
    const { value: explained } = await call(client, "explain_email", sent)
    expect(explained.summary).toEqual(expect.any(String))
    await client.close()
  })
})

it("a model reads templates and domains", async () => {
  const team = await makeTeam()
  const template = {
    slug: "hi-there",
    name: "Hi",
    subject: "Hi {{ name }}",
    bodyHtml: "<p>{{ name }}</p>",
  }
  const { body: made } = await team.api.post("/templates", template)
  const client = await connect(team.api.key)
  const { value: templates } = await call(client, "list_templates")
  expect(templates.data).toMatchObject([{ id: made.id, slug: "hi-there" }])
  const slugOrId = "hi-there"
  expect((await call(client, "get_template", { slugOrId })).value.versions).toHaveLength(1)
  const rendered = await call(client, "render_template", { slugOrId, variables: { name: "<Ada>" } })
  expect(rendered.value).toEqual({ subject: "Hi <Ada>", html: "<p>&lt;Ada&gt;</p>", text: null })
  const missing = await call(client, "render_template", { slugOrId })
  expect(missing).toMatchObject({
    isError: true,
    value: { code: "validation_error", details: { missing: ["name"] } },
  })
  const { value: domains } = await call(client, "list_domains")
  expect(domains.data).toMatchObject([{ id: team.domainId, records: expect.any(Array) }])
  const { value: domain } = await call(client, "get_domain", { id: team.domainId })
  expect(domain.name).toBe(team.domain)
})

it("a model reads contacts, campaigns and figures, and stops mail", async () => {
  const team = await makeTeam()
  const { body: book } = await team.api.post("/contact-books", { name: "Readers" })
  const path = `/contact-books/${book.id}/contacts`
  const { body: ada } = await team.api.post(path, { email: "ada@example.com" })
  const { body: campaign } = await team.api.post("/campaigns", {
    name: "News",
    bookId: book.id,
    domainId: team.domainId,
    from: `news@${team.domain}`,
    subject: "Hi",
    blocks: [{ kind: "columns", layout: "1-1", columns: [[{ kind: "divider" }], []] }],
  })
  const filter = { any: [{ all: [{ field: "email", op: "startsWith", value: "ada" }] }] }
  const { body: segment } = await team.api.post("/segments", {
    ...{ bookId: book.id, name: "A", filter },
  })
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
  const { body: email } = await team.api.post("/emails", { ...message(team), scheduledAt })
  // The client checks each answer by the schemas that it has listed.
  const client = await connect(team.api.key)
  await client.listTools()
  const read = async (name: string, args = {}) => (await call(client, name, args)).value

  expect((await read("list_contact_books")).data).toMatchObject([{ id: book.id }])
  expect((await read("search_contacts", { id: book.id, q: "ada" })).data).toEqual([ada])
  expect(await read("get_contact", { id: book.id, contactId: ada.id })).toEqual(ada)
  expect((await read("list_campaigns")).data).toEqual([campaign])
  expect(await read("get_campaign", { id: campaign.id })).toEqual(campaign)
  expect((await read("list_segments", { bookId: book.id })).data).toMatchObject([{ filter }])
  expect(await read("get_segment", { id: segment.id })).toMatchObject({ filter })
  expect(await read("count_audience", { id: campaign.id })).toMatchObject({ eligible: 1 })
  expect(await read("get_stats")).toMatchObject({ sent: { d7: 0 } })

  expect(await read("cancel_email", email)).toMatchObject({ status: "cancelled" })
  expect(await read("cancel_campaign", { id: campaign.id })).toMatchObject({ code: "conflict" })
  const address = { email: "ada@example.com" }
  expect(await read("unsubscribe_contact", address)).toEqual({ unsubscribed: 1 })
  expect(await read("suppress_address", address)).toMatchObject({ reason: "manual" })
  expect((await read("list_suppressions")).data).toMatchObject([address])
  await client.close()
})

describe("the tools", () => {
  it("change nothing but by sending an email and by stopping mail", async () => {
    const { tools } = await (await connect((await makeTeam()).api.key)).listTools()
    const changing = tools.filter(({ annotations }) => !annotations?.readOnlyHint)
    const [sending, replying, ...stopping] = changing
    const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true }
    expect(sending).toMatchObject({
      name: "send_email",
      annotations,
      inputSchema: { required: ["from", "to", "idempotencyKey"] },
    })
    expect(replying).toMatchObject({
      name: "reply",
      annotations,
      inputSchema: { required: ["id", "idempotencyKey"] },
    })
    expect(stopping.map(({ name }) => name)).toEqual([
      "cancel_email",
      "cancel_campaign",
      "unsubscribe_contact",
      "suppress_address",
    ])
    for (const { annotations } of stopping) {
      expect(annotations).toMatchObject({ destructiveHint: true, idempotentHint: true })
    }
    expect(JSON.stringify(tools)).not.toMatch(/overrideSuppression|\]\(#|#\/components/)
    const READING = ["emails.check", "templates.render", "sequences.simulate"]
    const readers = TOOLS.filter(({ annotations }) => annotations.readOnlyHint)
    for (const { method, name } of readers.map(({ endpoint }) => endpoint)) {
      const isReading = method === "GET" || READING.includes(name)
      expect([name, isReading]).toEqual([name, true])
    }
  })

  it("have a title and a schema of what they take, in at most 30 KB", async () => {
    const { tools } = await (await connect((await makeTeam()).api.key)).listTools()
    for (const { name, title, inputSchema } of tools) {
      expect([name, title, inputSchema.type]).toEqual([name, expect.any(String), "object"])
    }
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(30_000)
  })

  it("take every member of their endpoint except overrideSuppression", () => {
    for (const { endpoint, input } of TOOLS) {
      const { json, query, path } = endpoint
      const body = (json as { shape?: object } | undefined)?.shape
      const params = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name)
      const all = [...params, ...Object.keys({ ...query?.shape, ...body })]
      const taken = all.filter((name) => name !== "overrideSuppression")
      expect([endpoint.name, Object.keys(input.shape).sort()]).toEqual([
        endpoint.name,
        taken.sort(),
      ])
    }
  })

  it("simulate a sequence, and a change of its steps, without sending", async () => {
    const { team, addSequence } = await makeStage()
    const id = await addSequence({ steps: [wait("pause"), send("hello")] })
    const client = await connect(team.api.key)
    const startAt = "2026-01-01T00:00:00Z"
    const input = { id, contact: { firstName: "Ada" }, startAt }
    expect(await call(client, "simulate_sequence", input)).toMatchObject({
      value: {
        timeline: [{ stepKey: "pause" }, { stepKey: "hello", subject: "Mail hello" }],
        endedBy: "finished",
      },
    })
    const changed = await call(client, "simulate_sequence", { ...input, steps: [send("now")] })
    expect(changed.value.timeline).toMatchObject([{ stepKey: "now", subject: "Mail now" }])
    const wrong = await call(client, "simulate_sequence", { ...input, steps: [{ kind: "fly" }] })
    expect(wrong).toMatchObject({ isError: true, value: { code: "validation_error" } })
    expect((await team.api.get("/emails")).body.data).toEqual([])
  })

  it("do not mail a suppressed address, even if the arguments ask for it", async () => {
    const team = await makeTeam()
    await team.api.post("/suppressions", { email: "someone@example.com" })
    const client = await connect(team.api.key)
    const sent = await call(client, "send_email", { ...keyed(team), overrideSuppression: true })
    expect(sent).toEqual({
      isError: true,
      value: {
        code: "suppressed_recipient",
        message: expect.any(String),
        details: [{ email: "someone@example.com", reason: "manual" }],
      },
    })
    expect((await team.api.get("/suppressions")).body.data).toHaveLength(1)
  })

  it("send once with one idempotency key, and refuse to send without one", async () => {
    const team = await makeTeam()
    const client = await connect(team.api.key)
    const [first, again] = [
      await call(client, "send_email", keyed(team)),
      await call(client, "send_email", keyed(team)),
    ]
    expect(again).toEqual(first)
    const other = await call(client, "send_email", { ...keyed(team), subject: "Other" })
    expect(other).toMatchObject({ isError: true, value: { code: "idempotency_conflict" } })
    const unkeyed = await call(client, "send_email", message(team))
    expect(unkeyed).toMatchObject({
      isError: true,
      value: { code: "validation_error", details: [{ path: ["idempotencyKey"] }] },
    })
    expect((await team.api.get("/emails")).body.data).toHaveLength(1)
  })

  it("say what is wrong with the arguments", async () => {
    const team = await makeTeam()
    const client = await connect(team.api.key)
    const misspelt = await call(client, "check_email", { ...message(team), reply_to: "a@b.test" })
    expect(misspelt).toMatchObject({ isError: true, value: { code: "validation_error" } })
    expect(misspelt.value.message).toContain("did you mean 'replyTo'")
    const limit = await call(client, "search_emails", { limit: 1000 })
    expect(limit).toMatchObject({ isError: true, value: { details: [{ path: ["limit"] }] } })
    const none = await call(client, "get_email")
    expect(none).toMatchObject({ isError: true, value: { details: [{ path: ["id"] }] } })
    const path = await call(client, "get_email", { id: "../../domains" })
    expect(path).toMatchObject({ isError: true, value: { code: "not_found" } })
    await expect(client.callTool({ name: "delete_domain", arguments: {} })).rejects.toThrow("tool")
  })

  it("cut texts that are too long for a model", async () => {
    const team = await makeTeam()
    const client = await connect(team.api.key)
    const { value } = await call(client, "send_email", { ...keyed(team), text: "x".repeat(90_000) })
    const inbox = await call(client, "read_test_inbox", { emailId: value.id, wait: 30 })
    expect(inbox.value.data[0].text).toMatch(/^x{20000}… \(7000\d more characters\)$/)
  })
})

describe("a key", () => {
  it("that may only send finds no other tools, and is refused by them", async () => {
    const team = await makeTeam()
    const client = await connect(team.sendingOnly.key)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(["check_email", "send_email"])
    const { value } = await call(client, "send_email", keyed(team))
    const read = await call(client, "get_email", value)
    expect(read).toMatchObject({ isError: true, value: { code: "forbidden" } })
  })

  it("reads nothing of another team", async () => {
    const [mine, other] = [await makeTeam(), await makeTeam()]
    const { body } = await other.api.post("/emails", message(other))
    const read = await call(await connect(mine.api.key), "get_email", body)
    expect(read).toMatchObject({ isError: true, value: { code: "not_found" } })
  })

  it("of one domain sends from this domain alone", async () => {
    const team = await makeTeam()
    const key = await addKey(team.id, "full", "dom_of_another")
    const sent = await call(await connect(key), "send_email", keyed(team))
    expect(sent).toMatchObject({ isError: true, value: { code: "forbidden" } })
  })

  it.each([
    ["none", {}],
    ["a malformed one", { authorization: "Bearer nonsense" }],
    ["an unknown one", { authorization: `Bearer svc_live_${"x".repeat(43)}` }],
  ])("is required: %s is refused, and the scheme is named", async (_, headers) => {
    const refused = await post(list, headers)
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
    expect(refused.body.error.code).toBe("unauthorized")
  })

  it("has a rate limit, which calls of tools use up, too", async () => {
    const team = await makeTeam()
    const client = await connect(team.api.key)
    const used: string[] = []
    const { limit } = env.API_RATE_LIMIT
    env.API_RATE_LIMIT.limit = async ({ key }) => {
      used.push(key)
      return { success: used.length < 2 }
    }
    try {
      const listed = await call(client, "list_domains")
      expect(listed).toMatchObject({
        isError: true,
        value: { code: "rate_limited", retryAfterSeconds: 10 },
      })
      const refused = await post(list, { authorization: `Bearer ${team.api.key}` })
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"])
    } finally {
      env.API_RATE_LIMIT.limit = limit
    }
  })
})

describe("POST /mcp", () => {
  it("is the only method", async () => {
    const { authorization } = { authorization: `Bearer ${(await makeTeam()).api.key}` }
    for (const method of ["GET", "DELETE"]) {
      const { status, headers } = await request(method, "/mcp", undefined, { authorization })
      expect([status, headers.get("allow")]).toEqual([405, "POST"])
    }
  })

  it("refuses malformed bodies, large ones, several messages, and pages of other sites", async () => {
    const { key } = (await makeTeam()).api
    const authorization = `Bearer ${key}`
    expect((await post("{", { authorization })).status).toBe(400)
    expect((await post([list, list], { authorization })).status).toBe(400)
    const large = { ...list, params: { _meta: { x: "x".repeat(1024 * 1024) } } }
    expect((await post(large, { authorization })).status).toBe(413)
    const foreign = await post(list, { authorization, origin: "https://evil.example" })
    expect([foreign.status, foreign.body.error.code]).toEqual([403, "forbidden"])
    expect((await post(list, { authorization })).status).toBe(200)
  })

  it("opens no long-lived stream", async () => {
    const { key } = (await makeTeam()).api
    const client = await connect(key)
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow()
  })
})
