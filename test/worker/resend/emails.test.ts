import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createApp } from "../../../src/worker/app.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { request } from "../../support/api.ts"
import { eventually } from "../../support/eventually.ts"
import { workerEnv } from "../../support/installation.ts"
import { addDomain, addKey, makeTeam } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"
import { inAnHour, made, message, ok } from "./calls.ts"
import { createResend, routeFetch } from "./package.ts"

let fetched: ReturnType<typeof routeFetch>
beforeAll(() => {
  fetched = routeFetch()
})
afterAll(() => fetched.mockRestore())

const setUp = async () => {
  const team = await makeTeam()
  const given = { team, resend: createResend(team.api.key) }
  return { ...given, message: message(given), given }
}

describe("an email that the package sends", () => {
  it("is the email that our own API shows, with every member", async () => {
    const { team, resend, message } = await setUp()
    const { id } = await ok(
      resend.emails.send({
        ...message,
        to: ["Bo <bo@example.com>", "cy@example.com"],
        cc: "dee@example.com",
        bcc: ["eve@example.com"],
        replyTo: "help@example.com",
        text: "Hello",
        scheduledAt: inAnHour(),
        headers: { "X-Order": "42" },
        tags: [
          { name: "kind", value: "welcome" },
          { name: "plan", value: "free" },
        ],
        attachments: [
          { filename: "a.txt", content: Buffer.from("Attached"), contentType: "text/plain" },
          { filename: "b.png", content: "aGVsbG8=", contentId: "logo" },
        ],
      }),
    )
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body).toMatchObject({
      from: `Ada <ada@${team.domain}>`,
      to: ["Bo <bo@example.com>", "cy@example.com"],
      cc: ["dee@example.com"],
      bcc: ["eve@example.com"],
      replyTo: ["help@example.com"],
      tags: { kind: "welcome", plan: "free" },
      status: "scheduled",
    })
    const read = await ok(resend.emails.get(id))
    expect(read).toEqual({
      object: "email",
      id,
      message_id: `<${id}@${team.domain}>`,
      from: body.from,
      to: body.to,
      cc: ["dee@example.com"],
      bcc: ["eve@example.com"],
      reply_to: ["help@example.com"],
      subject: "Hello",
      html: "<p>Hello</p>",
      text: "Hello",
      tags: [
        { name: "kind", value: "welcome" },
        { name: "plan", value: "free" },
      ],
      last_event: "scheduled",
      scheduled_at: body.scheduledAt,
      created_at: body.createdAt,
      topic_id: null,
    })
    const listed = await ok(resend.emails.list())
    const { html: _, text: __, tags: ___, object: ____, ...record } = read
    expect(listed).toEqual({ object: "list", has_more: false, data: [record] })
  })

  it("has the Message-ID that it left with", async () => {
    const { team, resend, given } = await setUp()
    const { id } = await made.later(given)
    const messageId = `<t42@${team.domain}>`
    const sent = reportOf({ teamId: team.id, emailId: id }, "sent", Date.now())
    await recordEvents(testWork().work, [{ ...sent, providerMessageId: messageId }])
    expect((await ok(resend.emails.get(id))).message_id).toBe(messageId)
    expect((await ok(resend.emails.list())).data[0]?.message_id).toBe(messageId)
  })

  it("has null for lists that are empty, and for content that is purged", async () => {
    const { resend, given } = await setUp()
    const { id } = await made.later(given)
    await env.DB.prepare("delete from email_contents where email_id = ?").bind(id).run()
    expect(await ok(resend.emails.get(id))).toMatchObject({
      cc: null,
      bcc: null,
      reply_to: null,
      html: null,
      text: null,
      tags: [],
    })
  })

  it("says what happened last in Resend's words", async () => {
    const { team, resend, given } = await setUp()
    const { work } = testWork()
    const lastOf = async (...types: ("sent" | "delayed" | "opened" | "cancelled")[]) => {
      const { id } = await made.later(given)
      const now = work.now()
      await recordEvents(
        work,
        types.map((type, index) => reportOf({ teamId: team.id, emailId: id }, type, now + index)),
      )
      return (await ok(resend.emails.get(id))).last_event
    }
    expect(await lastOf("sent", "delayed")).toBe("delivery_delayed")
    expect(await lastOf("sent", "opened")).toBe("opened")
    expect(await lastOf("sent", ...Array(120).fill("delayed"), "opened")).toBe("opened")
    const { id } = await made.later(given)
    await ok(resend.emails.cancel(id))
    expect((await ok(resend.emails.get(id))).last_event).toBe("canceled")
  })

  it("is sent once with an idempotency key, and not with another payload", async () => {
    const { resend, message } = await setUp()
    const first = await ok(resend.emails.send(message, { idempotencyKey: "welcome/1" }))
    expect(await ok(resend.emails.send(message, { idempotencyKey: "welcome/1" }))).toEqual(first)
    const other = { ...message, subject: "Bye" }
    expect(await resend.emails.send(other, { idempotencyKey: "welcome/1" })).toMatchObject({
      error: { statusCode: 409, name: "invalid_idempotent_request" },
    })
    expect(await resend.emails.send(message, { idempotencyKey: "k".repeat(257) })).toMatchObject({
      error: { statusCode: 400, name: "invalid_idempotency_key" },
    })
  })

  it("may come from a template, with its variables", async () => {
    const { resend, message, team } = await setUp()
    const template = { name: "Welcome", alias: "welcome", subject: "Hi {{{NAME}}}" }
    await ok(
      resend.templates.create({
        ...template,
        html: "<p>{{{NAME}}}, {{{PLAN|free}}}</p>",
        variables: [{ key: "NAME", type: "string", fallbackValue: "you" }],
      }),
    )
    const { html: _, subject: __, ...rest } = message
    const later = { ...rest, scheduledAt: inAnHour() }
    const send = (variables: Record<string, string | number>) =>
      resend.emails.send({ ...later, template: { id: "welcome", variables } })
    const { id } = await ok(send({ NAME: "Ada" }))
    expect(await ok(resend.emails.get(id))).toMatchObject({
      subject: "Hi Ada",
      html: "<p>Ada, free</p>",
    })
    expect(await send({ NAME: 42 })).toMatchObject({
      error: { statusCode: 400, name: "validation_error", message: "Invalid variables: NAME." },
    })
    expect((await team.api.get("/templates/welcome")).body.bodyHtml).toBe(
      "<p>{{ NAME }}, {{ PLAN }}</p>",
    )
  })
})

describe("a send is refused in Resend's words", () => {
  it.each([
    ["an unverified domain", { from: "a@elsewhere.example" }, 422, "invalid_from_address", /from/],
    ["no recipient", { to: [] }, 400, "validation_error", /`to`/],
    ["a bad address", { to: "nobody" }, 400, "validation_error", /Invalid `to` field/],
    ["a bad reply address", { replyTo: "nobody" }, 400, "validation_error", /`reply_to`/],
    ["a local time", { scheduledAt: "in 1 min" }, 400, "validation_error", /`scheduled_at`/],
    [
      "a topic",
      { topicId: "news" },
      422,
      "invalid_parameter",
      /`topic_id`.*Only campaigns have topics/,
    ],
    [
      "a file to fetch",
      { attachments: [{ filename: "a", path: "https://example.com/a" }] },
      422,
      "invalid_attachment",
      /`path`/,
    ],
    [
      "an attachment without content",
      { attachments: [{ filename: "a" }] },
      422,
      "invalid_attachment",
      /content/,
    ],
  ])("%s", async (_what, changed, statusCode, name, text) => {
    const { resend, message } = await setUp()
    const { data, error } = await resend.emails.send({ ...message, ...changed })
    expect(data).toBeNull()
    expect(error).toMatchObject({ statusCode, name, message: expect.stringMatching(text) })
    expect(await ok(resend.emails.list())).toMatchObject({ data: [] })
  })

  it("a missing member", async () => {
    const { resend, message } = await setUp()
    const { subject: _, ...rest } = message
    const { error } = await resend.emails.send(rest as typeof message)
    expect(error).toMatchObject({ statusCode: 422, name: "missing_required_field" })
    expect(error?.message).toContain("`subject`")
    const { error: noSender } = await resend.emails.send({ ...message, from: undefined as never })
    expect(noSender?.message).toBe("Missing `from` field.")
  })

  it("a key of another domain", async () => {
    const { team, message } = await setUp()
    const { id } = await ok(
      createResend(team.api.key).domains.create({ name: `other-${team.domain}` }),
    )
    const resend = createResend(await addKey(team.id, "sending_only", id))
    expect(await resend.emails.send(message)).toMatchObject({
      error: { statusCode: 401, name: "restricted_api_key" },
    })
  })

  it("a name that is misspelt, so that no time is dropped without a word", async () => {
    const { team, message } = await setUp()
    const body = { ...message, scheduledAt: inAnHour() }
    const headers = { authorization: `Bearer ${team.api.key}` }
    const reply = await request("POST", "/resend/emails", body, headers)
    expect(reply).toMatchObject({ status: 400, body: { name: "validation_error" } })
    expect(reply.body.message).toContain("scheduled_at")
  })

  it("calls over the rate limit, with the time to wait", async () => {
    const { team } = await setUp()
    const API_RATE_LIMIT: RateLimit = { limit: async () => ({ success: false }) }
    const reply = await createApp().request(
      "/resend/emails",
      { headers: { authorization: `Bearer ${team.api.key}` } },
      workerEnv({ API_RATE_LIMIT }),
      createExecutionContext(),
    )
    expect(await reply.json()).toMatchObject({ statusCode: 429, name: "rate_limit_exceeded" })
    expect(reply.headers.get("retry-after")).toBe("10")
  })

  it("a body that is too large, broken JSON, no key, and an unknown path", async () => {
    const { team } = await setUp()
    const headers = { authorization: `Bearer ${team.api.key}` }
    const large = "x".repeat(26 * 1024 * 1024)
    const replies = [
      await request("POST", "/resend/emails", large, headers),
      await request("POST", "/resend/emails", "{", headers),
      await request("POST", "/resend/emails", {}),
      await request("GET", "/resend/nothing", undefined, headers),
      await request("PUT", "/resend/emails", {}, headers),
    ]
    expect(replies.map(({ status, body }) => [status, body.statusCode, body.name])).toEqual([
      [413, 413, "validation_error"],
      [400, 400, "validation_error"],
      [401, 401, "missing_api_key"],
      [404, 404, "not_found"],
      [405, 405, "method_not_allowed"],
    ])
    for (const { headers } of replies) expect(headers.get("x-request-id")).toMatch(/^req_/)
  })
})

describe("suppressed recipients", () => {
  it("are left out, and an email with nobody left is suppressed", async () => {
    const { resend, message } = await setUp()
    await ok(resend.suppressions.add({ email: "gone@example.com" }))
    const { id } = await ok(resend.emails.send({ ...message, to: "gone@example.com" }))
    expect(await ok(resend.emails.get(id))).toMatchObject({ last_event: "suppressed" })
    const both = await ok(
      resend.emails.send({ ...message, to: ["gone@example.com", "ann@example.com"] }),
    )
    await eventually(async () =>
      expect(await ok(resend.emails.get(both.id))).toMatchObject({ last_event: "delivered" }),
    )
  })
})

describe("a batch", () => {
  it("is stored whole or not at all, and names the item that is refused", async () => {
    const { resend, message } = await setUp()
    const bad = { ...message, to: "nobody" }
    const { error } = await resend.batch.send([message, bad])
    expect(error?.message).toMatch(/^emails\[1\]: Invalid `to` field/)
    expect(await ok(resend.emails.list())).toMatchObject({ data: [] })
    const { data } = await ok(resend.batch.send([message, message]))
    expect(data).toHaveLength(2)
  })

  it("stores the good ones where it is permissive", async () => {
    const { resend, message } = await setUp()
    const batch = [
      message,
      { ...message, to: "nobody" },
      { ...message, from: "a@elsewhere.example" },
      { ...message, scheduledAt: "soon" },
      { ...message, subject: "Last" },
    ]
    const options = { batchValidation: "permissive", idempotencyKey: "batch-1" } as const
    const first = await ok(resend.batch.send(batch, options))
    expect(first.errors.map(({ index }) => index)).toEqual([1, 2, 3])
    expect(first.errors[1]?.message).toContain("domain")
    expect(first.data).toHaveLength(2)
    const listed = await ok(resend.emails.list())
    expect(listed.data.map(({ subject }) => subject).toSorted()).toEqual(["Hello", "Last"])
    expect((await ok(resend.batch.send(batch, options))).data).toEqual(first.data)
    expect((await ok(resend.emails.list())).data).toHaveLength(2)
  })

  it("sends only what was refused where a permissive call is repeated", async () => {
    const { team, resend, message } = await setUp()
    const late = `late-${team.domain}`
    const batch = [message, { ...message, from: `a@${late}` }, { ...message, subject: "Last" }]
    const options = { batchValidation: "permissive", idempotencyKey: "batch-1" } as const
    const first = await ok(resend.batch.send(batch, options))
    expect(first.data).toHaveLength(2)
    await addDomain(team.id, late)
    const again = await ok(resend.batch.send(batch, options))
    expect([again.data[0], again.data[2]]).toEqual(first.data)
    expect((await ok(resend.emails.list())).data).toHaveLength(3)
  })

  it("of bad ones only stores nothing", async () => {
    const { resend, message } = await setUp()
    const batch = [{ ...message, to: "nobody" }]
    expect(await ok(resend.batch.send(batch, { batchValidation: "permissive" }))).toMatchObject({
      data: [],
      errors: [{ index: 0 }],
    })
  })
})

type Given = Parameters<typeof made.later>[0]

const makers: Record<string, (given: Given, index: number) => Promise<unknown>> = {
  emails: made.later,
  segments: made.segment,
  webhooks: made.webhook,
  templates: made.template,
  contacts: ({ resend }, i) => ok(resend.contacts.create({ email: `reader-${i}@example.com` })),
  suppressions: ({ resend }, i) => ok(resend.suppressions.add({ email: `gone-${i}@example.com` })),
}

describe("lists", () => {
  it("are read by the id of the last record", async () => {
    const { resend, given } = await setUp()
    for (let i = 0; i < 5; i++) await made.later(given)
    const ids: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await ok(resend.emails.list({ limit: 2, ...(after && { after }) }))
      ids.push(...page.data.map(({ id }) => id))
      if (!page.has_more) break
      after = ids.at(-1)
    }
    expect(new Set(ids).size).toBe(5)
    expect(ids).toEqual(ids.toSorted().reverse())
  })

  it.each(["emails", "contacts", "segments", "webhooks", "suppressions", "templates"] as const)(
    "of %s are read backwards by the id of the first record",
    async (name) => {
      const { resend, given } = await setUp()
      for (let i = 0; i < 5; i++) await makers[name]?.(given, i)
      const list = (query: { limit: number; before?: string }) =>
        ok<{ data: { id: string }[]; has_more: boolean }>(
          resend[name].list(query as { limit: number }) as Promise<never>,
        )
      const all = (await list({ limit: 100 })).data.map(({ id }) => id)
      expect(all).toHaveLength(5)
      const middle = await list({ limit: 2, before: all[3]! })
      expect(middle.data.map(({ id }) => id)).toEqual([all[1], all[2]])
      expect(middle.has_more).toBe(true)
      const first = await list({ limit: 2, before: all[1]! })
      expect(first.data.map(({ id }) => id)).toEqual([all[0]])
      expect(first.has_more).toBe(false)
    },
  )

  it("refuse a limit or an id that there is not", async () => {
    const { resend } = await setUp()
    for (const options of [
      { limit: 0 },
      { limit: 101 },
      { after: "dom_1" },
      { before: "dom_1" },
      { after: "em_1", before: "em_1" },
    ]) {
      expect(await resend.emails.list(options as { limit: number })).toMatchObject({
        error: { statusCode: 400, name: "validation_error" },
      })
    }
  })
})

describe("metrics", () => {
  it("are the counts of our statistics, by day", async () => {
    const { team, resend, given } = await setUp()
    const { work } = testWork()
    const { id } = await made.later(given)
    const ref = { teamId: team.id, emailId: id }
    await recordEvents(work, [
      reportOf(ref, "sent", work.now()),
      reportOf(ref, "delivered", work.now() + 1),
    ])
    const metrics = await ok(
      resend.emails.metrics({ metrics: ["sent", "delivered"], dimensions: ["period"] }),
    )
    expect(metrics.totals).toEqual({ sent: 1, delivered: 1 })
    expect(metrics.data).toHaveLength(7)
    const today = new Date().toISOString().slice(0, 10)
    expect(metrics.data?.at(-1)).toEqual({ period: today, sent: 1, delivered: 1 })
    expect((await ok(resend.emails.metrics({ startDate: today }))).totals).toEqual({
      sent: 1,
      delivered: 1,
      bounced: 0,
      complained: 0,
      unique_opened: 0,
      unique_clicked: 0,
    })
  })

  it("that are not kept are refused", async () => {
    const { resend } = await setUp()
    for (const options of [
      { metrics: ["open_rate" as const] },
      { timezone: "Europe/Berlin" },
      { granularity: "hourly" as const },
      { dimensions: ["domain" as const] },
      { domainId: ["dom_1"] },
      { startDate: "2020-01-01" },
    ]) {
      expect(await resend.emails.metrics(options)).toMatchObject({
        error: { statusCode: 422, name: "invalid_parameter" },
      })
    }
  })
})
