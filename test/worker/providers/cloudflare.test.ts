import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { consume, type QueueMessage } from "../../../src/worker/consume.ts"
import { LEASE_MS } from "../../../src/worker/emails/sending/claim.ts"
import { databaseNumbers } from "../../../src/worker/platform/db/databases.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { createWork } from "../../../src/worker/platform/work.ts"
import {
  recordCloudflareEvents,
  recordReplayedEvents,
} from "../../../src/worker/providers/cloudflare/events.ts"
import { createProvider } from "../../../src/worker/providers/create-provider.ts"
import { putIntoCampaign } from "../../support/campaign.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { acceptForLater, afterThat } from "../../support/mail.ts"
import { metered } from "../../support/meter.ts"
import { endPauses } from "../../support/providers.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

beforeEach(async () => void (await endPauses()))

const SETTLE_MS = 5 * 60_000
const RECIPIENT = "someone@example.com"

type Sent = Record<string, unknown>

/** The binding of Email Service: it takes a message, or throws what `refuse` says. */
async function makeSender(settings: Partial<Env> = {}) {
  const team = await makeTeam()
  const binding = {
    sent: [] as Sent[],
    refuse: null as Error | null,
    breakOff: false,
    async send(message: Sent) {
      if (binding.refuse) throw binding.refuse
      binding.sent.push(message)
      if (binding.breakOff) throw new Error("Network connection lost.")
      return { messageId: `<message-${team.id}-${binding.sent.length}>` }
    },
  }
  const clock = makeClock(afterThat())
  const { work } = testWork({
    clock,
    settings: { PROVIDER: "cloudflare", EMAIL: binding as unknown as SendEmail, ...settings },
  })
  const accept = (input?: Record<string, unknown>) => acceptForLater(team, input)
  const dispatch = (emailId: string, { bulk = false } = {}) =>
    dispatchEmails(work, [{ teamId: team.id, emailId }], { bulk })
  return { team, binding, clock, work, accept, dispatch }
}

const read = async ({ api }: Team, id: string) => (await api.get(`/emails/${id}`)).body

const refusal = (code: string) => Object.assign(new Error(`refused: ${code}`), { code })

/** A message of the queue that Cloudflare publishes to. */
function queued(team: Team, type: string, payload: Record<string, unknown>, attempts = 1) {
  const retried: unknown[] = []
  const body = {
    type: `cf.email.sending.message.${type}`,
    source: { type: "email.sending", zoneId: "z", domain: team.domain },
    payload: {
      eventId: `event-${type}`,
      messageId: `message-${team.id}-1`,
      sender: `sender@${team.domain}`,
      recipient: RECIPIENT,
      subject: "Hello",
      terminal: type !== "deferred",
      ...payload,
    },
    metadata: {
      accountId: "a",
      eventSubscriptionId: "s",
      eventSchemaVersion: 1,
      eventTimestamp: "2026-11-20T10:00:00.000Z",
    },
  }
  const timestamp = new Date(attempts === 1 ? afterThat() : 0)
  const message = { body, attempts, timestamp, retry: (options: unknown) => retried.push(options) }
  return { message: message as unknown as Message<unknown>, retried }
}

describe("a message to Cloudflare Email Service", () => {
  it("goes once to an address that stands in several fields", async () => {
    const { binding, accept, dispatch } = await makeSender()
    const to = "to@example.com"
    await dispatch(await accept({ to, cc: to, bcc: [to, "bcc@example.com"] }))
    expect(binding.sent).toMatchObject([{ to: [to], bcc: ["bcc@example.com"] }])
  })

  it("has no list of recipients that is empty", async () => {
    const { binding, accept, dispatch } = await makeSender()
    await dispatch(await accept())
    expect(binding.sent).toHaveLength(1)
    for (const field of ["cc", "bcc"]) expect(binding.sent[0]).not.toHaveProperty(field)
  })

  it("has only headers that the service takes, and the timeline names the others", async () => {
    const { team, binding, accept, dispatch } = await makeSender()
    const taken = { "X-Ref": "1", "LIST-ID": "<a.example.com>", "In-Reply-To": "<a@example.com>" }
    const id = await accept({
      headers: { ...taken, Autocrypt: "addr=a", "Thread-Topic": "Hi", "X-Empty": "" },
    })
    await dispatch(id)
    expect(binding.sent).toMatchObject([{ headers: taken }])
    expect((await read(team, id)).events).toMatchObject([
      {
        type: "sent",
        reason:
          "Left out, since Cloudflare Email Service does not take them: Autocrypt, Thread-Topic, X-Empty.",
      },
    ])
    expect(Object.keys(binding.sent[0]?.headers as object)).toEqual(Object.keys(taken))
  })

  it("is handed over in parts, and marks the email as sent", async () => {
    const { team, binding, accept, dispatch } = await makeSender()
    const id = await accept({
      to: ["To <to@example.com>", "second@example.com"],
      cc: "cc@example.com",
      bcc: "bcc@example.com",
      replyTo: "reply@example.com",
      html: "<p>Hi</p>",
      headers: { "X-Campaign": "spring" },
      attachments: [
        { filename: "a.txt", content: "aGVsbG8=" },
        { filename: "i.png", content: "iVBORw==", contentType: "image/png", contentId: "logo" },
        { filename: "m.eml", content: "eA==", contentType: "message/rfc822" },
        { filename: "p.html", content: "eA==", contentId: "page" },
      ],
    })
    await dispatch(id)
    expect(binding.sent).toEqual([
      {
        from: { email: `sender@${team.domain}`, name: "Sender" },
        to: [{ email: "to@example.com", name: "To" }, "second@example.com"],
        cc: ["cc@example.com"],
        bcc: ["bcc@example.com"],
        replyTo: "reply@example.com",
        subject: "Hello",
        html: "<p>Hi</p>",
        text: "Hi",
        headers: { "X-Campaign": "spring" },
        attachments: [
          {
            filename: "a.txt",
            type: "text/plain",
            content: Buffer.from("hello"),
            disposition: "attachment",
          },
          {
            filename: "i.png",
            type: "image/png",
            content: Buffer.from("iVBORw==", "base64"),
            disposition: "inline",
            contentId: "logo",
          },
          {
            filename: "m.eml",
            type: "application/octet-stream",
            content: Buffer.from("x"),
            disposition: "attachment",
          },
          {
            filename: "p.html",
            type: "text/html",
            content: Buffer.from("x"),
            disposition: "attachment",
          },
        ],
      },
    ])
    expect((await read(team, id)).status).toBe("sent")
  })

  it("gets a text part made from html, unless that makes it too large", async () => {
    const { binding, accept, dispatch } = await makeSender()
    await dispatch(await accept({ html: "<p>Hi <b>there</b></p>", text: undefined }))
    for (const words of ["x".repeat(3_000_000), "é".repeat(1_500_000)]) {
      await dispatch(await accept({ html: `<p>${words}</p>`, text: undefined }))
    }
    expect(binding.sent).toMatchObject([{ text: "Hi there" }, {}, {}])
    for (const large of binding.sent.slice(1)) expect(large).not.toHaveProperty("text")
  })

  it.each([
    ["E_RATE_LIMIT_EXCEEDED", "sending"],
    ["E_DAILY_LIMIT_EXCEEDED", "sending"],
    ["E_INTERNAL_SERVER_ERROR", "sending"],
    ["E_RECIPIENT_SUPPRESSED", "failed"],
    ["E_SENDER_NOT_VERIFIED", "failed"],
    ["E_SENDER_DOMAIN_NOT_AVAILABLE", "failed"],
    ["E_CONTENT_TOO_LARGE", "failed"],
    ["E_HEADER_NOT_ALLOWED", "failed"],
    ["E_VALIDATION_ERROR", "failed"],
  ])("refused with %s", async (code, status) => {
    const { team, binding, clock, accept, dispatch } = await makeSender()
    binding.refuse = refusal(code)
    const id = await accept()
    await dispatch(id)
    const email = await read(team, id)
    expect(email.status).toBe(status)
    expect(email.lastError).toContain(code)
    binding.refuse = null
    clock.advance(31_000)
    await dispatch(id)
    expect(binding.sent).toHaveLength(status === "sending" ? 1 : 0)
  })

  it.each([
    ["over 5 MiB", { text: "x".repeat(4_900_000), html: "y".repeat(400_000) }, "5 MiB"],
    ["with two Reply-To addresses", { replyTo: ["a@example.com", "b@example.com"] }, "Reply-To"],
  ])("%s is refused before the call", async (_, input, reason) => {
    const { team, binding, accept, dispatch } = await makeSender()
    const id = await accept(input)
    await dispatch(id)
    const email = await read(team, id)
    expect(email.status).toBe("failed")
    expect(email.lastError).toContain(reason)
    expect(binding.sent).toEqual([])
  })

  it("is retried while the binding is not configured", async () => {
    const { team, accept, dispatch } = await makeSender({ EMAIL: undefined as never })
    const id = await accept()
    await dispatch(id)
    expect(await read(team, id)).toMatchObject({
      status: "sending",
      lastError: "The binding EMAIL is not configured.",
    })
  })

  it("is never campaign mail; BULK_PROVIDER names a provider for that", async () => {
    const { team, binding, work, accept, dispatch } = await makeSender()
    const id = await accept()
    await putIntoCampaign(team, id)
    expect(createProvider(work, { bulk: true }).refusesBulk).toContain("BULK_PROVIDER")
    await dispatch(id, { bulk: true })
    const email = await read(team, id)
    expect(email.status).toBe("failed")
    expect(email.lastError).toContain("transactional mail only")
    expect(binding.sent).toEqual([])

    const { work: withBulk } = testWork({
      clock: makeClock(afterThat()),
      settings: { PROVIDER: "cloudflare", BULK_PROVIDER: "sandbox" },
    })
    const second = await accept()
    await putIntoCampaign(team, second)
    await dispatchEmails(withBulk, [{ teamId: team.id, emailId: second }], { bulk: true })
    expect((await read(team, second)).status).toBe("sent")
  })
})

describe("what Cloudflare reports", () => {
  const bounce = (type: string) => ({
    delivery: { status: "bounced", smtpResponse: "550 5.1.1 User unknown" },
    bounce: { type, classification: "permanent_failure", reason: "550 5.1.1 User unknown" },
  })

  it.each([
    ["delivered", {}, "delivered", {}, 0],
    [
      "deferred",
      { delivery: { smtpResponse: "421 later" } },
      "sent",
      { type: "delayed", reason: "421 later" },
      0,
    ],
    [
      "bounced",
      bounce("hard"),
      "bounced",
      {
        bounceType: "Permanent",
        bounceSubType: "permanent_failure",
        diagnosticCode: "550 5.1.1 User unknown",
      },
      1,
    ],
    ["bounced", bounce("soft"), "bounced", { bounceType: "Transient" }, 0],
    ["failed", { failure: { reason: "internal" } }, "failed", { reason: "internal" }, 0],
    ["rejected", { rejection: { reason: "suppressed" } }, "failed", { reason: "suppressed" }, 0],
    [
      "complained",
      { complaint: { type: "abuse" } },
      "complained",
      { complaintFeedbackType: "abuse" },
      1,
    ],
  ])("as %s with %j", async (type, payload, status, entry, suppressed) => {
    const { team, work, accept, dispatch } = await makeSender()
    const id = await accept()
    await dispatch(id)
    for (let times = 0; times < 2; times++) {
      const { message, retried } = queued(team, type, payload)
      await recordCloudflareEvents(work, [message])
      expect(retried).toEqual([])
    }
    const email = await read(team, id)
    expect(email.status).toBe(status)
    expect(email.events).toHaveLength(2)
    const told = email.events.find((one: { type: string }) => one.type !== "sent")
    expect(told).toMatchObject({
      ...entry,
      occurredAt: "2026-11-20T10:00:00.000Z",
      recipients: [RECIPIENT],
    })
    expect((await team.api.get("/suppressions")).body.data).toHaveLength(suppressed)
  })

  it.each([
    ["a name before the address", { recipient: `"Some One" <SOMEONE@example.com>` }, [RECIPIENT]],
    ["null as an id", { eventId: null }, [RECIPIENT]],
    ["null as a subject", { subject: null }, [RECIPIENT]],
    ["odd details", { delivery: "x", complaint: 5 }, [RECIPIENT]],
    ["no recipient", { recipient: null }, undefined],
  ])("with %s counts", async (_what, payload, recipients) => {
    const { team, work, accept, dispatch } = await makeSender()
    const id = await accept()
    await dispatch(id)
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
    const { message } = queued(team, "bounced", { bounce: null, ...payload })
    Object.assign(message.body as object, { metadata: { eventTimestamp: null } })
    for (const _times of [1, 2]) await recordCloudflareEvents(work, [message])
    warned.mockRestore()
    const { events } = await read(team, id)
    const bounces = events.filter(({ type }: { type: string }) => type === "bounced")
    expect(bounces).toMatchObject([{ bounceType: "Undetermined" }])
    expect(bounces[0].recipients).toEqual(recipients)
  })

  it("that cannot be read is logged, without its content", async () => {
    const { team, work } = await makeSender()
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
    const { message } = queued(team, "bounced", { messageId: null })
    await recordCloudflareEvents(work, [message, { ...message, body: null }])
    expect(warned.mock.calls.map(([line]) => JSON.parse(line).unread)).toEqual([
      "payload.messageId",
      "",
    ])
    warned.mockRestore()
  })

  it("before the answer is recorded is delivered again, and then replaces a lost answer", async () => {
    const { team, binding, clock, work, accept, dispatch } = await makeSender()
    binding.breakOff = true
    const id = await accept()
    await dispatch(id)
    expect((await read(team, id)).status).toBe("sending")

    const early = queued(team, "delivered", {})
    await recordCloudflareEvents(work, [early.message])
    expect(early.retried).toEqual([{ delaySeconds: 60 }])
    expect((await read(team, id)).status).toBe("sending")

    await recordCloudflareEvents(work, [queued(team, "delivered", {}, 2).message])
    clock.advance(LEASE_MS + SETTLE_MS)
    await dispatch(id)
    const email = await read(team, id)
    expect(email.status).toBe("delivered")
    expect(
      email.events.map(({ type, reason }: { type: string; reason?: string }) => [type, reason]),
    ).toEqual([
      ["sent", "settled_by_provider_event"],
      ["delivered", undefined],
    ])
    expect(binding.sent).toHaveLength(1)
  })

  it("waits while the database is down, and then replaces a lost answer", async () => {
    const { team, binding, work, accept, dispatch } = await makeSender()
    binding.breakOff = true
    const id = await accept()
    await dispatch(id)
    const report = queued(team, "bounced", bounce("hard"), 4)
    const batch = { queue: "edgepost-email-events", messages: [report.message] }
    const away = vi.spyOn(work.db, "all").mockImplementation(() => {
      throw new Error("D1 is down")
    })
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    await consume(work, batch as unknown as MessageBatch<QueueMessage>)
    away.mockRestore()
    logged.mockRestore()
    expect(report.retried).toEqual([{ delaySeconds: 80 }])
    await consume(work, batch as unknown as MessageBatch<QueueMessage>)
    expect(report.retried).toHaveLength(1)
    expect((await read(team, id)).status).toBe("bounced")
    expect((await team.api.get("/suppressions")).body.data).toHaveLength(1)
  })

  it.each([
    ["fails", () => Promise.reject(new Error("D1 is down"))],
    ["hangs", () => new Promise<never>(() => {})],
  ])("is recorded in its database while another %s, which is asked again", async (_, fault) => {
    const { team, accept, dispatch } = await makeSender()
    const id = await accept()
    await dispatch(id)
    const known = queued(team, "bounced", bounce("hard"), 4)
    const unknown = queued(team, "bounced", { messageId: "in the other database" }, 4)
    const away = interruptedDb(/provider_message_id/, fault)
    const { DATABASE: _number, DIRECTORY: _directory, ...here } = env
    const directory = createWork({ ...here, DB: away, DB_2: env.DB }, createExecutionContext())
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    await recordCloudflareEvents(directory, [unknown.message, known.message])
    logged.mockRestore()
    expect((await read(team, id)).status).toBe("bounced")
    expect(known.retried).toEqual([])
    expect(unknown.retried).toEqual([{ delaySeconds: 80 }])
  })

  it("is found among many databases, each of which gets its time while others wait", async () => {
    const { team, accept, dispatch } = await makeSender()
    const id = await accept()
    await dispatch(id)
    let asked = 0
    let mostAsked = 0
    const slow = () =>
      interruptedDb(/provider_message_id/, async () => {
        mostAsked = Math.max(mostAsked, ++asked)
        await scheduler.wait(20)
        asked--
        throw new Error("D1 is down")
      })
    const others = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`DB_${n + 3}`, slow()]))
    const { DATABASE: _number, DIRECTORY: _directory, ...here } = env
    const settings = { ...here, DB: slow(), ...others, DB_2: env.DB } as Env
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    const { message } = queued(team, "bounced", bounce("hard"), 4)
    await recordCloudflareEvents(createWork(settings, createExecutionContext()), [message])
    logged.mockRestore()
    expect((await read(team, id)).status).toBe("bounced")
    expect(mostAsked).toBeLessThanOrEqual(5)
  })

  it("stays a dead letter that is replayed while a database does not answer", async () => {
    const { team, work } = await makeSender()
    const { message } = queued(team, "delivered", {})
    const away = vi.spyOn(work.db, "select").mockImplementation(() => {
      throw new Error("D1 is down")
    })
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    await expect(recordReplayedEvents(work, [message.body])).rejects.toThrow("does not answer")
    for (const mock of [away, logged]) mock.mockRestore()
  })

  it.each([
    ["another subject", { subject: "Other" }],
    ["another recipient", { recipient: "other@example.com" }],
    ["another sender", { sender: "sender@example.com" }],
  ])("of %s settles nothing", async (_, payload) => {
    const { team, binding, work, accept, dispatch } = await makeSender()
    binding.breakOff = true
    const id = await accept()
    await dispatch(id)
    await recordCloudflareEvents(work, [queued(team, "delivered", payload, 2).message])
    expect((await read(team, id)).status).toBe("sending")
  })

  it("in an unknown form is ignored", async () => {
    const { work } = await makeSender()
    const message = { body: { type: "cf.r2.object.created" }, attempts: 1 } as Message<unknown>
    await recordCloudflareEvents(work, [message])
  })

  it("finds its email without a scan of other mail", async () => {
    const { team, work, accept, dispatch } = await makeSender()
    for (let i = 0; i < 200; i++) await accept()
    await dispatch(await accept())
    const { message } = queued(team, "delivered", {})
    const meter = await metered(() => recordCloudflareEvents(work, [message]))
    // the databases are asked for the email, then it is recorded
    expect(meter.roundTrips).toBe(databaseNumbers(env).length + 1)
    expect(meter.rowsRead).toBeLessThan(200)
  })
})
