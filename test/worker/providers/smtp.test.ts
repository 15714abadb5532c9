import { env } from "cloudflare:workers"
import { randomBytes } from "node:crypto"
import PostalMime from "postal-mime"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { gzip } from "../../../src/lib/gzip.ts"
import { LEASE_MS } from "../../../src/worker/emails/sending/claim.ts"
import { isLarge } from "../../../src/worker/platform/db/overflow.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { MAX_ATTEMPTS } from "../../../src/worker/providers/provider.ts"
import { smtp } from "../../../src/worker/providers/smtp/smtp.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { endPauses } from "../../support/providers.ts"
import { receivedBy, smtpSettings } from "../../support/smtp/inbox.ts"
import { outgoing } from "../../support/smtp/message.ts"
import { SMTP_USER } from "../../support/smtp/server.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

beforeEach(async () => void (await endPauses()))

function createSmtp(settings: Partial<Env> = smtpSettings()) {
  const provider = smtp(testWork({ settings }).work)
  onTestFinished(() => provider.close?.())
  return provider
}

const to = (...addresses: string[]) => outgoing({ to: addresses.map((address) => ({ address })) })

const receivedFor = (message: ReturnType<typeof outgoing>) =>
  receivedBy(message.to[0]?.address ?? "")

describe("a connection", () => {
  it.each([
    ["none", { secure: false, user: null }],
    ["starttls", { secure: true, user: SMTP_USER.username }],
    ["tls", { secure: true, user: SMTP_USER.username }],
  ] as const)(
    "is secured and authenticated as the settings say: %s",
    async (security, expected) => {
      const message = outgoing()
      expect(await createSmtp(smtpSettings(security)).send(message)).toMatchObject({ ok: true })
      expect(await receivedFor(message)).toMatchObject([expected])
    },
  )

  it("carries all messages of a batch, also after refused ones", async () => {
    const provider = createSmtp(smtpSettings("tls"))
    const first = outgoing()
    const last = outgoing()
    await provider.send(first)
    expect(await provider.send(to("rcpt-550@example.test"))).toMatchObject({ ok: false })
    expect(await provider.send(to("data-451@example.test"))).toMatchObject({ ok: false })
    await provider.send(last)
    const [one] = await receivedFor(first)
    const [other] = await receivedFor(last)
    expect(other?.connection).toBe(one?.connection)
  })

  it("that is being closed is replaced by a new one", async () => {
    const provider = createSmtp()
    const messages = [outgoing(), outgoing()]
    const connections: unknown[] = []
    for (const message of messages) {
      expect(await provider.send(message)).toMatchObject({ ok: true })
      const closing = provider.close?.()
      onTestFinished(() => closing)
      connections.push((await receivedFor(message))[0]?.connection)
    }
    expect(connections[0]).not.toBe(connections[1])
  })

  it("that the server ends after some messages is replaced by a new one", async () => {
    const provider = createSmtp()
    const from = { address: "two-a-connection@example.test" }
    const messages = [1, 2, 3, 4, 5].map(() => outgoing({ from }))
    for (const message of messages) {
      expect(await provider.send(message)).toMatchObject({ ok: true })
    }
    const received = await Promise.all(messages.map(receivedFor))
    expect(received.map((list) => list.length)).toEqual([1, 1, 1, 1, 1])
    expect(new Set(received.flat().map(({ connection }) => connection)).size).toBe(3)
  })
})

describe("a refusal", () => {
  it.each([
    ["rcpt-451-4.7.1", true, "451 4.7.1 as asked"],
    ["data-554", false, "554 as asked"],
    ["data-452", true, "452 as asked"],
  ])("of %s is retryable: %s", async (local, retryable, reason) => {
    const result = await createSmtp().send(to(`${local}@example.test`))
    expect(result).toEqual({ ok: false, retryable, reason })
  })

  it.each([
    ["rcpt-550-5.1.1", "Permanent"],
    ["rcpt-554-5.7.1", "Undetermined"],
    ["rcpt-452-4.2.2", "Transient", MAX_ATTEMPTS],
  ])(
    "of one recipient among others is its bounce: %s is %s",
    async (local, bounceType, attempt = 1) => {
      const refused = `${local}@example.test`
      const message = outgoing({ cc: [{ address: refused }], attempt })
      const [code, status] = local.split("-").slice(1)
      expect(await createSmtp().send(message)).toMatchObject({
        ok: true,
        bounces: [
          { bounceType, diagnosticCode: `smtp; ${code} ${status} as asked`, recipients: [refused] },
        ],
      })
      expect(await receivedFor(message)).toMatchObject([{ to: [message.to[0]?.address] }])
    },
  )

  it.each([
    ["rcpt-550-5.1.1", "Permanent"],
    ["rcpt-554-5.7.1", "Undetermined"],
  ])("of every recipient is their bounce too: %s is %s", async (local, bounceType) => {
    const refused = `${local}@example.test`
    const [code, status] = local.split("-").slice(1)
    const reason = `${code} ${status} as asked`
    expect(await createSmtp().send(to(refused))).toEqual({
      ok: false,
      retryable: false,
      reason,
      bounces: [{ bounceType, diagnosticCode: `smtp; ${reason}`, recipients: [refused] }],
    })
  })

  it.each(["none", "tls"] as const)(
    "of one recipient for now waits with all of them: %s",
    async (security) => {
      const provider = createSmtp(smtpSettings(security))
      const message = outgoing({
        cc: [
          { address: "rcpt-550-5.1.1@example.test" },
          { address: "rcpt-451-4.7.1@example.test" },
        ],
        attempt: MAX_ATTEMPTS - 1,
      })
      const later = { ok: false, retryable: true, reason: "451 4.7.1 as asked" }
      expect(await provider.send(message)).toEqual(later)
      const next = outgoing()
      expect(await provider.send(next)).toMatchObject({ ok: true })
      expect(await receivedFor(next)).toHaveLength(1)
      expect(await receivedFor(message)).toEqual([])
    },
  )

  it.each([
    ["mail", 421],
    ["mail", 530],
    ["mail", 535],
    ["mail", 538],
    ["rcpt", 421],
    ["rcpt", 530],
    ["data", 421],
    ["data", 530],
  ])("at %s with %i is a fault of the provider", async (stage, code) => {
    const address = `${stage}-${code}@example.test`
    const message = stage === "mail" ? outgoing({ from: { address } }) : to(address)
    for (const security of ["none", "starttls"] as const) {
      expect(await createSmtp(smtpSettings(security)).send(message)).toEqual({
        ok: false,
        retryable: true,
        fault: "provider",
        reason: expect.stringContaining(String(code)),
      })
    }
  })

  it.each([
    ["an accepted recipient", "beside-a-fault", "rcpt-530", MAX_ATTEMPTS],
    ["a deferred recipient", "rcpt-451", "rcpt-421", 1],
    ["an unknown recipient", "rcpt-550-5.1.1", "rcpt-530", 1],
  ])("that is a fault of the provider postpones %s too", async (_, other, refused, attempt) => {
    const message = outgoing({
      to: [{ address: `${other}@example.test` }],
      cc: [{ address: `${refused}@example.test` }],
      attempt,
    })
    for (const security of ["none", "starttls"] as const) {
      const result = await createSmtp(smtpSettings(security)).send(message)
      expect(result).toMatchObject({ ok: false, retryable: true, fault: "provider" })
    }
    expect(await receivedFor(message)).toEqual([])
  })

  it("of the credentials is retryable and does not show them", async () => {
    const password = "not the password"
    const provider = createSmtp({ ...smtpSettings("tls"), SMTP_PASSWORD: password })
    const result = await provider.send(outgoing())
    expect(result).toMatchObject({ ok: false, retryable: true })
    expect(JSON.stringify(result)).toContain("535")
    expect(JSON.stringify(result)).not.toMatch(new RegExp(`${password}|${SMTP_USER.username}`))
  })

  it.each<[string, Partial<Env>]>([
    ["nothing listens", { SMTP_PORT: "1" }],
    ["the name does not resolve", { SMTP_HOST: "nowhere.invalid" }],
    ["the server speaks no TLS", { SMTP_SECURITY: "starttls" }],
    ["no server is named", { SMTP_HOST: "" }],
    ["the certificate has another name", { ...smtpSettings("tls"), SMTP_HOST: "127.0.0.1" }],
  ])("is retryable where %s", async (_why, settings) => {
    const result = await createSmtp({ ...smtpSettings(), ...settings }).send(outgoing())
    expect(result).toMatchObject({ ok: false, retryable: true })
  })

  it("is assumed without an answer before the lease ends", async () => {
    const provider = createSmtp()
    await provider.send(outgoing())
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const silent = to("silent@example.test")
    const sending = provider.send(silent)
    const settled = vi.fn()
    sending.then(settled)
    while ((await receivedFor(silent)).length === 0) {}
    await vi.advanceTimersByTimeAsync(24_000)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await sending).toMatchObject({ ok: false, unanswered: true })
  })
})

const HOUR_MS = 3_600_000
const MIB = 1024 * 1024

/** Scheduled, so that no consumer but the test's own takes it. */
async function schedule(team: Team, email: Record<string, unknown>): Promise<string> {
  const { status, body } = await team.api.post("/emails", {
    from: `sender@${team.domain}`,
    subject: "Hello",
    text: "Hi",
    scheduledAt: new Date(Date.now() + HOUR_MS).toISOString(),
    ...email,
  })
  expect(status).toBe(201)
  return body.id
}

async function dispatch(
  team: Team,
  ids: readonly string[],
  settings: Partial<Env> = {},
  clock = makeClock(Date.now() + 2 * HOUR_MS),
) {
  const { work, settled } = testWork({
    clock,
    settings: { ...smtpSettings(), ...settings },
  })
  await dispatchEmails(
    work,
    ids.map((emailId) => ({ teamId: team.id, emailId })),
  )
  await settled()
}

const uniqueTo = (team: Team, local = "someone") => `${local}@${team.domain}`

describe("an email through the SMTP provider", () => {
  it("stays `sent` after the server accepted it", async () => {
    const team = await makeTeam()
    const id = await schedule(team, { to: uniqueTo(team) })
    await dispatch(team, [id])
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body).toMatchObject({ status: "sent", events: [{ type: "sent" }] })
    const [received] = await receivedBy(uniqueTo(team))
    expect((await PostalMime.parse(received?.raw ?? "")).messageId).toBe(`<${id}@${team.domain}>`)
  })

  it("bounces for an unknown mailbox among its recipients, and suppresses the mailbox", async () => {
    const team = await makeTeam()
    const unknown = `rcpt-550-5.1.1@${team.domain}`
    const id = await schedule(team, { to: [uniqueTo(team), unknown] })
    await dispatch(team, [id])
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body).toMatchObject({
      status: "bounced",
      events: [
        { type: "sent" },
        { type: "bounced", bounceType: "Permanent", recipients: [unknown] },
      ],
    })
    const { body: suppressions } = await team.api.get("/suppressions")
    expect(suppressions.data).toMatchObject([{ email: unknown, reason: "bounce" }])
  })

  it("to an unknown mailbox alone bounces without being sent, and suppresses the mailbox", async () => {
    const team = await makeTeam()
    const unknown = `rcpt-550-5.1.1@${team.domain}`
    const id = await schedule(team, { to: unknown })
    await dispatch(team, [id])
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body).toMatchObject({
      status: "bounced",
      events: [{ type: "bounced", bounceType: "Permanent", recipients: [unknown] }],
    })
    const { body: suppressions } = await team.api.get("/suppressions")
    expect(suppressions.data).toMatchObject([{ email: unknown, reason: "bounce" }])
  })

  it("whose answer was lost is sent again after the lease, and the timeline says so", async () => {
    const team = await makeTeam()
    const lost = uniqueTo(team, "lost")
    const id = await schedule(team, { to: lost })
    const clock = makeClock(Date.now() + 2 * HOUR_MS)
    const received = async (after: number) => {
      clock.advance(after)
      await dispatch(team, [id], {}, clock)
      return (await receivedBy(lost)).length
    }
    expect(await received(0)).toBe(1)
    expect(await received(LEASE_MS - 1)).toBe(1)
    expect(await received(2)).toBe(2)
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body.events).toMatchObject([{ type: "sent", reason: "sent_again_without_answer" }])
  })

  it("that is deferred waits for its next attempt with the reason", async () => {
    const team = await makeTeam()
    const id = await schedule(team, { to: `data-451@${team.domain}` })
    await dispatch(team, [id])
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body).toMatchObject({ status: "sending", lastError: "451 as asked", events: [] })
  })

  it("that is refused permanently fails with the reason", async () => {
    const team = await makeTeam()
    const id = await schedule(team, { to: `data-554@${team.domain}` })
    await dispatch(team, [id])
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body).toMatchObject({
      status: "failed",
      lastError: "554 as asked",
      events: [{ type: "failed", reason: "554 as asked" }],
    })
  })
})

describe("large messages", () => {
  it("of 10 MiB arrive complete", async () => {
    const team = await makeTeam()
    const content = Buffer.alloc(10 * MIB, noise())
    const attachments = [{ filename: "a.bin", content: content.toString("base64") }]
    await dispatch(team, [await schedule(team, { to: uniqueTo(team), attachments })])
    const [received] = await receivedBy(uniqueTo(team))
    const [attachment] = (await PostalMime.parse(received?.raw ?? "")).attachments
    expect(Buffer.from(attachment?.content as ArrayBuffer).equals(content)).toBe(true)
  })

  it("go one at a time with every provider", async () => {
    const team = await makeTeam()
    const html = noise().toString("base64")
    const ids = [1, 2, 3].map((n) => schedule(team, { to: uniqueTo(team, `large${n}`), html }))
    const { CONTENT, mostAtOnce } = watchedBucket()
    await dispatch(team, await Promise.all(ids), { CONTENT, PROVIDER: "sandbox" })
    expect(mostAtOnce()).toBe(1)
  })

  it("include those that are small only as gzip", () => {
    const stored = (bytes: number) => ({
      body: gzip("a".repeat(bytes)).toString("base64"),
      objectKey: null,
    })
    expect(isLarge(stored(5 * MIB))).toBe(true)
    expect(isLarge(stored(100_000))).toBe(false)
  })
})

/** What does not become small in gzip, as its window is half as long. */
const noise = () => randomBytes(65_536)

/** The bucket, and how many of its objects were being read at the same time. */
function watchedBucket() {
  let reading = 0
  let most = 0
  const get = async (key: string) => {
    most = Math.max(most, ++reading)
    try {
      return await env.CONTENT.get(key)
    } finally {
      reading--
    }
  }
  const bucket = { get, put: env.CONTENT.put.bind(env.CONTENT) } as unknown as R2Bucket
  return { CONTENT: bucket, mostAtOnce: () => most }
}
