import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { NEVER_ANSWERED } from "../../../src/worker/emails/contract.ts"
import { enqueueOutcomes } from "../../../src/worker/emails/outcomes/queue.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import type { Provider } from "../../../src/worker/providers/provider.ts"
import { makeCampaign } from "../../support/campaign.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { createDriver } from "../../support/driver.ts"
import { acceptForLater, afterThat } from "../../support/mail.ts"
import { metered } from "../../support/meter.ts"
import { fakeQueue } from "../../support/queue.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const D1_VALUE_BYTES = 2_000_000

/** The largest value that is bound in a batch while `run` goes on. */
async function largestValue(run: (DB: D1Database) => Promise<unknown>) {
  let largest = 0
  const DB = new Proxy(env.DB, {
    get(db, name) {
      if (name !== "prepare") return Reflect.get(db, name).bind(db)
      return (text: string) => watched(db.prepare(text))
    },
  })
  const watched = (statement: D1PreparedStatement): D1PreparedStatement =>
    Object.assign(statement, {
      bind: (...values: unknown[]) => {
        for (const value of values) largest = Math.max(largest, Buffer.byteLength(String(value)))
        return Object.getPrototypeOf(statement).bind.apply(statement, values)
      },
    })
  await run(DB)
  return largest
}

const read = async ({ api }: Team, id: string) => (await api.get(`/emails/${id}`)).body

describe("a large report", () => {
  const words = "4.2.2 mailbox full \u{1F4EB} ".repeat(3_000)

  it("is cut to a thousand characters, in one place for all providers", async () => {
    const event = reportOf({ teamId: "t", emailId: "e" }, "bounced", 1, {
      diagnosticCode: words,
      reason: words,
      recipients: [`${"a".repeat(4_000)}@example.com`],
      bounceType: "Permanent",
    })
    expect(event.data.diagnosticCode?.length).toBeGreaterThan(990)
    expect(event.data.diagnosticCode?.length).toBeLessThanOrEqual(1_000)
    expect(event.data.reason?.isWellFormed()).toBe(true)
    expect(event.data.bounceType).toBe("Permanent")
    expect(event.data.recipients?.[0]?.length).toBe(320)
  })

  it("of a hundred emails with fifty refused recipients each is recorded, and sent once", async () => {
    const team = await makeTeam()
    const item = {
      from: `a@${team.domain}`,
      subject: "Hello",
      text: "Hi",
      to: Array.from({ length: 50 }, (_, index) => `someone-${index}@example.com`),
      scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
    }
    const { body } = await team.api.post("/emails/batch", Array(100).fill(item))
    const refs = body.data.map(({ id }: { id: string }) => ({ teamId: team.id, emailId: id }))
    let handed = 0
    const provider: Provider = {
      name: "sandbox",
      async send({ to }) {
        handed++
        const bounces = to.map(({ address }) => ({
          bounceType: "Permanent" as const,
          diagnosticCode: words,
          recipients: [address],
        }))
        return { ok: false, retryable: false, reason: words, bounces }
      },
    }
    const clock = makeClock(afterThat())
    const largest = await largestValue(async (DB) => {
      const { work } = testWork({ clock, settings: { DB } })
      const afterLast = [work.db.run(`update teams set name = 'Done' where id = '${team.id}'`)]
      await dispatchEmails(work, refs, { provider, afterLast })
    })
    expect(handed).toBe(100)
    expect(largest).toBeLessThan(D1_VALUE_BYTES / 2)
    const counted = await env.DB.prepare(
      "select count(*) as count, count(distinct email_id) as emails from email_events where team_id = ?",
    )
      .bind(team.id)
      .first()
    expect(counted).toEqual({ count: 5_000, emails: 100 })
    expect((await team.api.get("/me")).body.team.name).toBe("Done")
    expect((await read(team, refs[99].emailId)).status).toBe("bounced")
  })

  it("is split into messages that the queue accepts", async () => {
    const { queue, sent } = fakeQueue()
    const batches: number[] = []
    const watched = {
      ...queue,
      sendBatch: async (messages: MessageSendRequest[]) => {
        batches.push(Buffer.byteLength(JSON.stringify(messages)))
        return queue.sendBatch(messages)
      },
    } as Queue
    const { work } = testWork({ settings: { OUTCOMES: watched } })
    const events = Array.from({ length: 300 }, (_, index) =>
      reportOf({ teamId: "t", emailId: `em_${index}` }, "bounced", 1, { diagnosticCode: words }),
    )
    await enqueueOutcomes(work.env, events)
    const sizes = sent.map(({ message }) => Buffer.byteLength(JSON.stringify(message)))
    expect(Math.max(...sizes)).toBeLessThan(128_000)
    expect(Math.max(...batches)).toBeLessThan(256_000)
    expect(sent.flatMap(({ message }) => ("events" in message ? message.events : []))).toEqual(
      events,
    )
  })
})

describe("a failure that is assumed because no answer came", () => {
  const assumed = { reason: NEVER_ANSWERED }

  it.each([
    ["delivered", "delivered", {}],
    ["bounced", "bounced", { bounceType: "Permanent", recipients: ["someone@example.com"] }],
    ["complained", "complained", { recipients: ["someone@example.com"] }],
    ["failed", "failed", { reason: "Bad content" }],
    ["sent", "failed", {}],
    ["delayed", "failed", {}],
  ] as const)("that a late %s follows makes the status %s", async (type, status, data) => {
    const team = await makeTeam()
    const emailId = await acceptForLater(team)
    const ref = { teamId: team.id, emailId }
    const { work } = testWork()
    await recordEvents(work, [reportOf(ref, "failed", 1, assumed)])
    expect(await read(team, emailId)).toMatchObject({ status: "failed", lastError: NEVER_ANSWERED })
    await recordEvents(work, [reportOf(ref, type, 2, { ...data } as object)])
    expect((await read(team, emailId)).status).toBe(status)
  })

  it("gives way to no later outcome once the provider reports a failure", async () => {
    const team = await makeTeam()
    const emailId = await acceptForLater(team)
    const ref = { teamId: team.id, emailId }
    const { work } = testWork()
    const own = reportOf(ref, "failed", 2, { reason: "Bad content" })
    await recordEvents(work, [reportOf(ref, "failed", 1, assumed), own])
    await recordEvents(work, [reportOf(ref, "delivered", 3)])
    expect((await read(team, emailId)).status).toBe("failed")
  })

  it("gives way in one batch, too, and webhooks get the same statuses", async () => {
    const team = await makeTeam()
    const emailId = await acceptForLater(team)
    const ref = { teamId: team.id, emailId }
    await team.api.post("/webhooks", {
      url: "https://hooks.example.com/",
      events: ["email.delivered", "email.failed"],
    })
    await recordEvents(testWork().work, [
      reportOf(ref, "sent", 1),
      reportOf(ref, "failed", 2, assumed),
      reportOf(ref, "delivered", 3),
    ])
    expect((await read(team, emailId)).status).toBe("delivered")
    const { body } = await team.api.get("/events?after=0&limit=10")
    const told = body.data.map(({ type, data }: { type: string; data: never }) => [
      type,
      (data as { email: { status: string } }).email.status,
    ])
    expect(told).toEqual([
      ["email.sent", "sent"],
      ["email.failed", "failed"],
      ["email.delivered", "delivered"],
    ])
  })

  it("is taken back from a campaign's counts, and ends the campaign once", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, ["one@example.com", "two@example.com"])
    const driver = createDriver()
    await env.DB.batch([
      env.DB.prepare(
        "update campaigns set status = 'scheduled', scheduled_at = 1 where id = ?",
      ).bind(id),
      env.DB.prepare("update campaign_runs set due_at = 1 where campaign_id = ?").bind(id),
    ])
    await driver.pass()
    await driver.drain(["CAMPAIGNS"])
    const { results } = await env.DB.prepare("select id from emails where campaign_id = ?")
      .bind(id)
      .all<{ id: string }>()
    const [one, two] = results.map((row) => ({ teamId: team.id, emailId: row.id }))
    if (!one || !two) throw new Error("Expected two emails")
    const run = async () => {
      const counts = (await team.api.get(`/campaigns/${id}`)).body.counts
      const row = await env.DB.prepare(
        "select open, completed_at is not null as completed from campaign_runs where campaign_id = ?",
      )
        .bind(id)
        .first()
      return { failed: counts.failed, delivered: counts.delivered, ...row }
    }
    const record = async (...events: Parameters<typeof reportOf>[]) => {
      await recordEvents(
        driver.work,
        events.map((event) => reportOf(...event)),
      )
      await driver.drain(["CAMPAIGNS"])
      return run()
    }
    const failed = (ref: typeof one) => record([ref, "failed", 1, assumed])
    expect(await failed(one)).toEqual({ failed: 1, delivered: 0, open: 1, completed: 0 })
    expect(await record([one, "delivered", 2])).toEqual({
      failed: 0,
      delivered: 1,
      open: 1,
      completed: 0,
    })
    expect(await failed(two)).toEqual({ failed: 1, delivered: 1, open: 0, completed: 1 })
    expect(await record([two, "delivered", 2], [two, "bounced", 3])).toEqual({
      failed: 0,
      delivered: 2,
      open: 0,
      completed: 1,
    })
  })
})

describe("an event", () => {
  const timeline = async (emailId: string) => {
    const statement = env.DB.prepare("select type from email_events where email_id = ?")
    const { results } = await statement.bind(emailId).all<{ type: string }>()
    return results.map(({ type }) => type)
  }

  it("that the answer and the provider both report as `sent` stands once", async () => {
    const team = await makeTeam()
    const ids = [await acceptForLater(team), await acceptForLater(team)]
    const { work } = testWork()
    const report = (emailId: string, at: number) =>
      reportOf({ teamId: team.id, emailId }, "sent", at)
    await recordEvents(work, [report(ids[0]!, 1_000), report(ids[1]!, 2_000)])
    await recordEvents(work, [report(ids[0]!, 2_000), report(ids[1]!, 1_000)])
    expect([await timeline(ids[0]!), await timeline(ids[1]!)]).toEqual([["sent"], ["sent"]])
  })

  it("of an earlier attempt changes nothing once a later one has begun", async () => {
    const team = await makeTeam()
    const emailId = await acceptForLater(team)
    await env.DB.prepare("update emails set status = 'sending', attempts = 2 where id = ?")
      .bind(emailId)
      .run()
    const failure = reportOf({ teamId: team.id, emailId }, "failed", 1, { reason: "Refused" })
    await recordEvents(testWork().work, [{ ...failure, attempt: 1 }])
    expect([await timeline(emailId), (await read(team, emailId)).status]).toEqual([[], "sending"])
    await recordEvents(testWork().work, [{ ...failure, attempt: 2 }])
    expect([await timeline(emailId), (await read(team, emailId)).status]).toEqual([
      ["failed"],
      "failed",
    ])
  })
})

it("a hundred outcomes are one round trip", async () => {
  const team = await makeTeam()
  const { work } = testWork()
  const reports = Array.from({ length: 100 }, (_, index) =>
    reportOf({ teamId: team.id, emailId: `em_${index}` }, "delivered", 1),
  )
  expect((await metered(() => recordEvents(work, reports))).roundTrips).toBe(1)
})
