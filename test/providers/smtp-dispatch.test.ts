import { env } from "cloudflare:workers"
import { randomBytes } from "node:crypto"
import PostalMime from "postal-mime"
import { describe, expect, it } from "vitest"
import { dispatchEmails } from "../../src/emails/dispatch.ts"
import type { Env } from "../../src/env.ts"
import { receivedBy, smtpSettings } from "../support/smtp/inbox.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { makeClock, testWork } from "../support/work.ts"

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

async function dispatch(team: Team, ids: readonly string[], settings: Partial<Env> = {}) {
  const { work, settled } = testWork({
    clock: makeClock(Date.now() + 2 * HOUR_MS),
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
  it("stays sent once the server took it: what follows is unknown", async () => {
    const team = await makeTeam()
    const id = await schedule(team, { to: uniqueTo(team) })
    await dispatch(team, [id])
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body).toMatchObject({ status: "sent", events: [{ type: "sent" }] })
    const [received] = await receivedBy(uniqueTo(team))
    expect((await PostalMime.parse(received?.raw ?? "")).messageId).toBe(`<${id}@${team.domain}>`)
  })

  it("with an unknown mailbox among its recipients bounces for that one, and suppresses it", async () => {
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

  it("that is refused for now waits for its next attempt, with the reason", async () => {
    const team = await makeTeam()
    const id = await schedule(team, { to: `data-451@${team.domain}` })
    await dispatch(team, [id])
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body).toMatchObject({ status: "sending", lastError: "451 as asked", events: [] })
  })

  it("that is refused for good fails, with the reason", async () => {
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
  it("of 10 MiB arrive whole, and never two of them are in memory at once", async () => {
    const team = await makeTeam()
    const content = Buffer.alloc(10 * MIB, noise())
    const attachments = [{ filename: "a.bin", content: content.toString("base64") }]
    const ids = [
      await schedule(team, { to: uniqueTo(team, "one"), attachments }),
      await schedule(team, { to: uniqueTo(team, "two"), attachments }),
    ]
    const { CONTENT, mostAtOnce } = watchedBucket()
    await dispatch(team, ids, { CONTENT })
    for (const local of ["one", "two"]) {
      const [received] = await receivedBy(uniqueTo(team, local))
      const { attachments } = await PostalMime.parse(received?.raw ?? "")
      expect(Buffer.from(attachments[0]?.content as ArrayBuffer).equals(content)).toBe(true)
    }
    expect(mostAtOnce()).toBe(1)
  })

  it("go one at a time with every provider", async () => {
    const team = await makeTeam()
    const html = noise().toString("base64")
    const ids = [1, 2, 3].map((n) => schedule(team, { to: uniqueTo(team, `large${n}`), html }))
    const { CONTENT, mostAtOnce } = watchedBucket()
    await dispatch(team, await Promise.all(ids), { CONTENT, PROVIDER: "sandbox" })
    expect(mostAtOnce()).toBe(1)
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
