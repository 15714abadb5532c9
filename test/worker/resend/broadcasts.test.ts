import { afterAll, beforeAll, expect, it } from "vitest"
import { makeBook, readers } from "../../support/campaign.ts"
import { eventually } from "../../support/eventually.ts"
import { makeTeam } from "../../support/team.ts"
import { ok } from "./calls.ts"
import { createResend, routeFetch } from "./package.ts"

let fetched: ReturnType<typeof routeFetch>
beforeAll(() => {
  fetched = routeFetch()
})
afterAll(() => fetched.mockRestore())

async function setUp() {
  const team = await makeTeam()
  const { broadcasts } = createResend(team.api.key)
  const segmentId = await makeBook(team, readers(2))
  const from = `News <news@${team.domain}>`
  return { team, broadcasts, draft: { segmentId, from, subject: "News", html: "<p>News</p>" } }
}

it("a broadcast of HTML reaches its segment, with the values and links that Resend has", async () => {
  const { team, broadcasts, draft } = await setUp()
  const html =
    '<script>x()</script><p>{{{FIRST_NAME}}}, {{{contact.age|all ages}}}</p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Stop</a>'
  const subject = "Hi {{{contact.first_name|there}}} of {{{contact.city}}}"
  const { id } = await ok(broadcasts.create({ ...draft, subject, html, previewText: "Soon" }))
  await ok(broadcasts.send(id))
  const message = await eventually(async () => {
    const { body } = await team.api.get("/sandbox/messages")
    expect(body.data).toHaveLength(2)
    return body.data[0]
  })
  expect(message.subject).toBe("Hi Ada of London")
  expect(message.html).toContain("<p>Ada, all ages</p>")
  expect(message.html).toMatch(/href="[^"]+\/preferences\/[^"]+">Stop/)
  expect(message.html).toMatch(/href="[^"]+\/unsubscribe\/[^"]+"/)
  expect(message.html).not.toContain("script")
  expect(message.text).toMatch(/^Ada, all ages\n\nStop \(http/)
})

it("a broadcast is read and changed by its parts", async () => {
  const { broadcasts, draft } = await setUp()
  const { id } = await ok(broadcasts.create({ ...draft, replyTo: ["help@example.com"] }))
  expect(await ok(broadcasts.get(id))).toMatchObject({
    ...{ name: "News", subject: "News", status: "draft", preview_text: null },
    ...{ html: "<p>News</p>", text: null, reply_to: ["help@example.com"] },
    segment_id: draft.segmentId,
  })
  await ok(broadcasts.update(id, { text: "News!", previewText: "Soon" }))
  expect(await ok(broadcasts.get(id))).toMatchObject({
    ...{ html: "<p>News</p>", text: "News!", preview_text: "Soon", subject: "News" },
  })
  await ok(broadcasts.update(id, { html: "<p>New</p>", subject: "{{{FIRST_NAME|You}}}" }))
  expect(await ok(broadcasts.get(id))).toMatchObject({ html: "<p>New</p>", text: "News!" })
})

it("a broadcast of text alone has lines", async () => {
  const { broadcasts, draft } = await setUp()
  const { html: _, ...rest } = draft
  const { id } = await ok(broadcasts.create({ ...rest, text: "1 < 2\nBye" }))
  expect(await ok(broadcasts.get(id))).toMatchObject({
    html: "<div>1 &lt; 2<br>Bye</div>",
    text: "1 < 2\nBye",
  })
  await ok(broadcasts.update(id, { text: "Hello" }))
  expect(await ok(broadcasts.get(id))).toMatchObject({ html: "<div>Hello</div>", text: "Hello" })
})

it("a broadcast is sent or scheduled as it is created", async () => {
  const { broadcasts, draft } = await setUp()
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const later = await ok(broadcasts.create({ ...draft, send: true, scheduledAt }))
  expect(await ok(broadcasts.get(later.id))).toMatchObject({
    ...{ status: "queued", scheduled_at: scheduledAt },
  })
  const now = await ok(broadcasts.create({ ...draft, send: true }))
  expect((await ok(broadcasts.get(now.id))).status).not.toBe("draft")
})

it("a scheduled broadcast that is cancelled is a draft, which can be changed and sent", async () => {
  const { broadcasts, draft } = await setUp()
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const { id } = await ok(broadcasts.create({ ...draft, send: true, scheduledAt }))
  await ok(broadcasts.cancel(id))
  expect(await ok(broadcasts.get(id))).toMatchObject({ status: "draft", scheduled_at: null })
  await ok(broadcasts.update(id, { subject: "New" }))
  await ok(broadcasts.send(id))
  expect((await broadcasts.update(id, { subject: "Late" })).error).toMatchObject({
    statusCode: 409,
  })
})

it.each([
  ["without a segment", { segmentId: undefined }, "missing_required_field", "segment_id"],
  ["without a sender", { from: undefined }, "missing_required_field", "from"],
  ["without content", { html: undefined }, "missing_required_field", "html"],
  ["of a domain that is not verified", { from: "a@b.test" }, "invalid_from_address", "from"],
  ["with two addresses for replies", { replyTo: ["a@b.co", "c@d.co"] }, "invalid_parameter", "re"],
  ["that is scheduled, but not to be sent", { scheduledAt: "2030" }, "invalid_parameter", "send"],
])("a broadcast %s is refused", async (_what, change, name, word) => {
  const { broadcasts, draft } = await setUp()
  const { error } = await broadcasts.create({ ...draft, ...change } as typeof draft)
  expect(error).toMatchObject({ name, message: expect.stringContaining(word) })
})

it("a placeholder that is no value of a contact stops the broadcast", async () => {
  const { broadcasts, draft } = await setUp()
  const { id } = await ok(broadcasts.create({ ...draft, html: "{{ unknown }}" }))
  expect((await broadcasts.send(id)).error).toMatchObject({
    message: expect.stringContaining("unknown"),
  })
})

it("a link that begins with a placeholder stops the broadcast", async () => {
  const { broadcasts, draft } = await setUp()
  const html = '<a href="{{{contact.shop|https://a.test}}}">Shop</a>'
  const { id } = await ok(broadcasts.create({ ...draft, html }))
  expect((await broadcasts.send(id)).error).toMatchObject({
    message: expect.stringContaining("behind the host of a link: {{ properties.shop }}"),
  })
})

it("our own API writes no HTML with a key, neither new nor into a broadcast", async () => {
  const { team, broadcasts, draft } = await setUp()
  const { id } = await ok(broadcasts.create(draft))
  const { body: campaign } = await team.api.get(`/campaigns/${id}`)
  expect(campaign.blocks).toEqual([{ kind: "html", html: draft.html }])
  const { name, bookId, domainId, from, subject, blocks } = campaign
  const made = await team.api.post("/campaigns", { name, bookId, domainId, from, subject, blocks })
  const changed = await team.api.patch(`/campaigns/${id}`, { blocks })
  for (const { status, body } of [made, changed]) {
    expect(status).toBe(400)
    expect(body.error.details).toMatchObject([{ path: ["blocks", 0, "kind"] }])
  }
})
