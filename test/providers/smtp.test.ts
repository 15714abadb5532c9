import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { Env } from "../../src/env.ts"
import { smtp } from "../../src/providers/smtp/smtp.ts"
import { receivedBy, smtpSettings } from "../support/smtp/inbox.ts"
import { outgoing } from "../support/smtp/message.ts"
import { SMTP_USER } from "../support/smtp/server.ts"
import { testWork } from "../support/work.ts"

function openSmtp(settings: Partial<Env> = smtpSettings()) {
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
      expect(await openSmtp(smtpSettings(security)).send(message)).toMatchObject({ ok: true })
      expect(await receivedFor(message)).toMatchObject([expected])
    },
  )

  it("carries all messages of a batch, refused ones between them", async () => {
    const provider = openSmtp(smtpSettings("tls"))
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

  it("that the server ends after so many messages is followed by another one", async () => {
    const provider = openSmtp()
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
    ["rcpt-550-5.1.1", false, "550 5.1.1 as asked"],
    ["rcpt-554-5.7.1", false, "554 5.7.1 as asked"],
    ["rcpt-451-4.7.1", true, "451 4.7.1 as asked"],
    ["data-554", false, "554 as asked"],
    ["data-452", true, "452 as asked"],
  ])("of %s is retryable: %s", async (local, retryable, reason) => {
    const result = await openSmtp().send(to(`${local}@example.test`))
    expect(result).toEqual({ ok: false, retryable, reason })
  })

  it.each([
    ["rcpt-550-5.1.1", "Permanent"],
    ["rcpt-554-5.7.1", "Undetermined"],
    ["rcpt-452-4.2.2", "Transient"],
  ])("of one recipient among others is its bounce: %s is %s", async (local, bounceType) => {
    const refused = `${local}@example.test`
    const message = outgoing({ cc: [{ address: refused }] })
    const [code, status] = local.split("-").slice(1)
    expect(await openSmtp().send(message)).toMatchObject({
      ok: true,
      bounces: [
        { bounceType, diagnosticCode: `smtp; ${code} ${status} as asked`, recipients: [refused] },
      ],
    })
    expect(await receivedFor(message)).toMatchObject([{ to: [message.to[0]?.address] }])
  })

  it("of the credentials is retryable and repeats none of them", async () => {
    const password = "not the password"
    const provider = openSmtp({ ...smtpSettings("tls"), SMTP_PASSWORD: password })
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
    const result = await openSmtp({ ...smtpSettings(), ...settings }).send(outgoing())
    expect(result).toMatchObject({ ok: false, retryable: true })
  })

  it("is an answer that does not come: the lease is not outlived", async () => {
    const provider = openSmtp()
    await provider.send(outgoing())
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const sending = provider.send(to("silent@example.test"))
    const settled = vi.fn()
    sending.then(settled)
    await vi.advanceTimersByTimeAsync(24_000)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await sending).toMatchObject({ ok: false, retryable: true })
  })
})
