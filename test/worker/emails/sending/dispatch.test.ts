import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, it } from "vitest"
import type { EventData } from "../../../../src/worker/emails/contract.ts"
import { recordEvents } from "../../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../../src/worker/emails/outcomes/report.ts"
import { RETRY_DELAYS_MS } from "../../../../src/worker/emails/sending/attempt.ts"
import { LEASE_MS } from "../../../../src/worker/emails/sending/claim.ts"
import { sweepEmails } from "../../../../src/worker/emails/sending/sweep-emails.ts"
import type {
  OutgoingMessage,
  Provider,
  SendResult,
} from "../../../../src/worker/providers/provider.ts"
import { dispatchEmails } from "../../../support/dispatch.ts"
import { eventually } from "../../../support/eventually.ts"
import { endPauses } from "../../../support/providers.ts"
import { fakeQueue } from "../../../support/queue.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { type Clock, makeClock, testWork } from "../../../support/work.ts"

beforeEach(async () => void (await endPauses()))

const HOUR_MS = 3_600_000
type Event = { type: string; occurredAt: string; [field: string]: unknown }

const typesOf = (events: Event[]) => events.map(({ type }) => type)

/** An email that no queue will touch: it is an hour ahead, and only the test's clock gets there. */
async function scheduleEmail(team: Team, change: object = {}) {
  const { body } = await team.api.post("/emails", {
    from: `sender@${team.domain}`,
    to: "someone@example.com",
    subject: "Hello",
    text: "Hi",
    scheduledAt: new Date(Date.now() + HOUR_MS).toISOString(),
    ...change,
  })
  const ref = { teamId: team.id, emailId: body.id as string }
  return { ref, read: async () => (await team.api.get(`/emails/${ref.emailId}`)).body }
}

const inAnHour = () => makeClock(Date.now() + HOUR_MS + 1_000)

function fakeProvider(answer: (message: OutgoingMessage) => SendResult | Promise<SendResult>) {
  const handed: OutgoingMessage[] = []
  const provider: Provider = {
    name: "sandbox",
    async send(message) {
      handed.push(message)
      return answer(message)
    },
  }
  return { provider, handed }
}

const accepts = () => ({ ok: true, providerMessageId: "p1", acceptedAt: Date.now() }) as const
const faults = () => ({ ok: false, retryable: true, reason: "Try later" }) as const

const dispatch = (clock: Clock, ref: { teamId: string; emailId: string }, provider: Provider) =>
  dispatchEmails(testWork({ clock }).work, [ref], { provider })

describe("a claim", () => {
  it("is recorded before the provider reports outcomes", async () => {
    const { ref, read } = await scheduleEmail(await makeTeam())
    const statuses: string[] = []
    const close = async () => {
      statuses.push((await read()).status)
    }
    await dispatch(inAnHour(), ref, { ...fakeProvider(accepts).provider, close })
    await eventually(async () => expect(statuses).toEqual(["sent"]))
  })

  it("gives an email to only one of many consumers", async () => {
    const { ref, read } = await scheduleEmail(await makeTeam())
    const { provider, handed } = fakeProvider(accepts)
    const clock = inAnHour()
    await Promise.all(Array.from({ length: 20 }, () => dispatch(clock, ref, provider)))
    expect(handed).toHaveLength(1)
    expect(typesOf((await read()).events)).toEqual(["sent"])
  })

  it("waits for the schedule", async () => {
    const { ref, read } = await scheduleEmail(await makeTeam())
    const { provider, handed } = fakeProvider(accepts)
    await dispatch(makeClock(), ref, provider)
    expect(handed).toEqual([])
    expect((await read()).status).toBe("scheduled")
  })

  it("of a consumer that died ends with its lease, and not before", async () => {
    const { ref, read } = await scheduleEmail(await makeTeam())
    const clock = inAnHour()
    const dying = fakeProvider(() => new Promise<never>(() => {}))
    void dispatch(clock, ref, dying.provider)
    await eventually(() => expect(dying.handed).toHaveLength(1))
    expect((await read()).status).toBe("sending")

    const { provider, handed } = fakeProvider(accepts)
    clock.advance(LEASE_MS - 1)
    await dispatch(clock, ref, provider)
    expect(handed).toEqual([])
    clock.advance(1)
    await dispatch(clock, ref, provider)
    expect(handed).toHaveLength(1)
    expect((await read()).status).toBe("sent")
  })

  it("that cannot start in time gives the email back without counting an attempt", async () => {
    const team = await makeTeam()
    const emails = await Promise.all(Array.from({ length: 7 }, () => scheduleEmail(team)))
    const clock = inAnHour()
    const { provider, handed } = fakeProvider(() => {
      clock.advance(16_000)
      return accepts()
    })
    const refs = emails.map(({ ref }) => ref)
    const send = () => dispatchEmails(testWork({ clock }).work, refs, { provider })
    await send()
    expect(handed.length).toBeLessThan(7)
    // Each time at least one is handed over.
    for (const _ of emails.slice(1)) await send()
    expect(handed.map(({ attempt }) => attempt)).toEqual(Array(7).fill(1))
  })
})

describe("a retryable fault", () => {
  it("is retried with growing delays, and the sixth attempt fails the email", async () => {
    const { ref, read } = await scheduleEmail(await makeTeam())
    const clock = inAnHour()
    const { provider, handed } = fakeProvider(faults)
    await dispatch(clock, ref, provider)
    for (const [index, delay] of RETRY_DELAYS_MS.entries()) {
      expect(await read()).toMatchObject({ status: "sending", lastError: "Try later", events: [] })
      clock.advance(delay - 1)
      await dispatch(clock, ref, provider)
      expect(handed).toHaveLength(index + 1)
      clock.advance(1)
      await dispatch(clock, ref, provider)
    }
    expect(handed.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
    const email = await read()
    expect(email).toMatchObject({ status: "failed", lastError: "Try later" })
    expect(email.events).toMatchObject([{ type: "failed", reason: "Try later" }])
    clock.advance(HOUR_MS)
    await dispatch(clock, ref, provider)
    expect(handed).toHaveLength(6)
  })

  it("is forgotten once a later attempt is accepted", async () => {
    const { ref, read } = await scheduleEmail(await makeTeam())
    const clock = inAnHour()
    const { provider } = fakeProvider(({ attempt }) => (attempt < 3 ? faults() : accepts()))
    for (const delay of [0, 30_000, 60_000]) {
      clock.advance(delay)
      await dispatch(clock, ref, provider)
    }
    expect(await read()).toMatchObject({ status: "sent" })
  })
})

describe("a refusal", () => {
  it("fails the email at once", async () => {
    const { ref, read } = await scheduleEmail(await makeTeam())
    const { provider } = fakeProvider(() => ({ ok: false, retryable: false, reason: "Paused" }))
    await dispatch(inAnHour(), ref, provider)
    expect(await read()).toMatchObject({ status: "failed", lastError: "Paused" })
  })
})

describe("a send that was never answered", () => {
  it("waits for the end of its lease, and delays no other", async () => {
    const team = await makeTeam()
    const [one, two] = [await scheduleEmail(team), await scheduleEmail(team)]
    const clock = inAnHour()
    const broken = fakeProvider(({ emailId }) =>
      emailId === one.ref.emailId ? Promise.reject(new Error("broken off")) : accepts(),
    )
    await dispatchEmails(testWork({ clock }).work, [one.ref, two.ref], broken)
    expect((await one.read()).status).toBe("sending")
    expect((await two.read()).status).toBe("sent")
    await dispatch(clock, one.ref, broken.provider)
    expect(broken.handed).toHaveLength(2)
    clock.advance(LEASE_MS)
    await dispatch(clock, one.ref, fakeProvider(accepts).provider)
    expect((await one.read()).status).toBe("sent")
  })

  it.each(["opened", "clicked"] as const)("is not repeated once it was %s", async (type) => {
    const team = await makeTeam()
    const { ref, read } = await scheduleEmail(team)
    const clock = inAnHour()
    const lost = fakeProvider(() => Promise.reject(new Error("broken off")))
    await dispatch(clock, ref, lost.provider)
    await recordEvents(testWork({ clock }).work, [reportOf(ref, type, clock.now() + 5_000)])
    await team.api.post("/suppressions", { email: "someone@example.com" })
    clock.advance(LEASE_MS)
    const { provider, handed } = fakeProvider(accepts)
    await dispatch(clock, ref, provider)
    expect(handed).toEqual([])
    expect(await read()).toMatchObject({
      status: "sent",
      events: [{ type: "sent", reason: "settled_by_open_or_click" }, { type }],
    })
  })
})

describe("just before the provider", () => {
  it("a newly suppressed recipient cancels the email", async () => {
    const team = await makeTeam()
    const { ref, read } = await scheduleEmail(team, { cc: "late@example.com" })
    await team.api.post("/suppressions", { email: "late@example.com" })
    const { provider, handed } = fakeProvider(accepts)
    await dispatch(inAnHour(), ref, provider)
    expect(handed).toEqual([])
    expect(await read()).toMatchObject({
      status: "cancelled",
      events: [
        { type: "cancelled", reason: "suppressed_recipient", recipients: ["late@example.com"] },
      ],
    })
  })

  it.each([
    ["deleted", "delete from domains where team_id = ?"],
    ["proven by another team", "update domains set status = 'failed' where team_id = ?"],
  ])("a domain that was %s fails the email", async (_what, statement) => {
    const team = await makeTeam()
    const { ref, read } = await scheduleEmail(team)
    await env.DB.prepare(statement).bind(team.id).run()
    const { provider, handed } = fakeProvider(accepts)
    await dispatch(inAnHour(), ref, provider)
    const email = await read()
    expect(email).toMatchObject({
      status: "failed",
      lastError: "The domain of 'from' was deleted or failed before the email went out.",
    })
    expect(handed).toEqual([])
  })

  it("a team that was deleted cancels the email", async () => {
    const team = await makeTeam()
    const { ref } = await scheduleEmail(team)
    await env.DB.prepare("delete from teams where id = ?").bind(team.id).run()
    const { provider, handed } = fakeProvider(accepts)
    await dispatch(inAnHour(), ref, provider)
    expect(handed).toEqual([])
    const email = await env.DB.prepare("select status from emails where team_id = ?")
      .bind(team.id)
      .first()
    expect(email).toEqual({ status: "cancelled" })
  })

  it("a domain that is checked again does not hold the email up", async () => {
    const team = await makeTeam()
    const { ref, read } = await scheduleEmail(team)
    await env.DB.prepare("update domains set status = 'pending' where team_id = ?")
      .bind(team.id)
      .run()
    await dispatch(inAnHour(), ref, fakeProvider(accepts).provider)
    expect((await read()).status).toBe("sent")
  })

  it("an override of the suppression list still applies", async () => {
    const team = await makeTeam()
    const { ref, read } = await scheduleEmail(team, { overrideSuppression: true })
    await team.api.post("/suppressions", { email: "someone@example.com" })
    await dispatch(inAnHour(), ref, fakeProvider(accepts).provider)
    expect((await read()).status).toBe("sent")
  })
})

describe("the message handed over", () => {
  it("has the content that was accepted", async () => {
    const team = await makeTeam()
    const attachments = [{ filename: "a.txt", content: "aGk=", contentId: "a" }]
    const { ref } = await scheduleEmail(team, {
      to: ["Ann <ann@example.com>"],
      bcc: "bob@example.com",
      html: "<p>ü</p>",
      headers: { "X-Order": "7" },
      attachments,
      tags: { kind: "order" },
    })
    const { provider, handed } = fakeProvider(accepts)
    await dispatch(inAnHour(), ref, provider)
    expect(handed[0]).toMatchObject({
      ...ref,
      from: { address: `sender@${team.domain}` },
      to: [{ address: "ann@example.com", name: "Ann" }],
      bcc: [{ address: "bob@example.com" }],
      subject: "Hello",
      html: "<p>ü</p>",
      text: "Hi",
      headers: { "X-Order": "7" },
      attachments,
      tags: { kind: "order" },
    })
  })
})

describe("recording", () => {
  const at = Date.now()
  const bounce: EventData = { bounceType: "Permanent", recipients: ["someone@example.com"] }

  it("moves the status only forward, whatever the order of events", async () => {
    const team = await makeTeam()
    const { ref, read } = await scheduleEmail(team)
    const { work } = testWork()
    const record = async (type: Parameters<typeof reportOf>[1], data = {}) => {
      await recordEvents(work, [reportOf(ref, type, at, data)])
      return (await read()).status
    }
    expect(await record("delivered")).toBe("delivered")
    expect(await record("sent")).toBe("delivered")
    expect(await record("opened")).toBe("delivered")
    expect(await record("bounced", bounce)).toBe("bounced")
    expect(await record("complained", { recipients: ["someone@example.com"] })).toBe("complained")
    expect(await record("failed", { reason: "late" })).toBe("complained")
    expect(await record("delayed")).toBe("complained")
    expect(new Set(typesOf((await read()).events))).toEqual(
      new Set(["delivered", "sent", "opened", "bounced", "complained", "failed", "delayed"]),
    )
  })

  it("of several events of an email in one batch takes the highest rank", async () => {
    const { ref, read } = await scheduleEmail(await makeTeam())
    const types = ["complained", "sent", "delivered", "opened"] as const
    await recordEvents(
      testWork().work,
      types.map((type) => reportOf(ref, type, at)),
    )
    expect((await read()).status).toBe("complained")
  })

  it("of the same event twice changes nothing", async () => {
    const team = await makeTeam()
    const { ref, read } = await scheduleEmail(team)
    const event = reportOf(ref, "delivered", at)
    const { work } = testWork()
    await recordEvents(work, [event, event])
    await recordEvents(work, [event])
    expect((await read()).events).toHaveLength(1)
    const counted = await env.DB.prepare("select delivered from stats_days where team_id = ?")
      .bind(team.id)
      .first("delivered")
    expect(counted).toBe(1)
  })

  it("counts emails, not events", async () => {
    const team = await makeTeam()
    const [one, two] = [await scheduleEmail(team), await scheduleEmail(team)]
    const { work } = testWork()
    const opened = (ref: typeof one.ref, detail: string) => reportOf(ref, "opened", at, {}, detail)
    await recordEvents(work, [opened(one.ref, "a"), opened(one.ref, "b"), opened(two.ref, "a")])
    await recordEvents(work, [opened(one.ref, "c")])
    const counted = await env.DB.prepare("select opened from stats_days where team_id = ?")
      .bind(team.id)
      .first("opened")
    expect(counted).toBe(2)
  })

  it("of an email that does not exist does nothing", async () => {
    const team = await makeTeam()
    const ref = { teamId: team.id, emailId: "em_00000000000000000000000000" }
    await recordEvents(testWork().work, [reportOf(ref, "bounced", at, bounce)])
    expect((await team.api.get("/suppressions")).body.data).toEqual([])
  })

  it.each([
    ["a hard bounce", "bounced", { bounceType: "Permanent" }, "bounce"],
    ["a soft bounce", "bounced", { bounceType: "Transient" }, null],
    ["an undetermined bounce", "bounced", { bounceType: "Undetermined" }, null],
    ["a complaint", "complained", { complaintFeedbackType: "abuse" }, "complaint"],
    ["a complaint of no type", "complained", {}, "complaint"],
    ["a complaint that is no spam", "complained", { complaintFeedbackType: "not-spam" }, null],
  ] as const)("of %s suppresses as it should", async (_name, type, data, reason) => {
    const team = await makeTeam()
    const { ref } = await scheduleEmail(team, { to: ["someone@example.com", "two@example.com"] })
    const recipients = ["someone@example.com"]
    await recordEvents(testWork().work, [reportOf(ref, type, at, { ...data, recipients })])
    const { body } = await team.api.get("/suppressions")
    expect(body.data).toEqual(
      reason
        ? [
            expect.objectContaining({
              email: "someone@example.com",
              reason,
              sourceEmailId: ref.emailId,
            }),
          ]
        : [],
    )
  })

  it("leaves an earlier suppression as it is", async () => {
    const team = await makeTeam()
    const { ref } = await scheduleEmail(team)
    await team.api.post("/suppressions", { email: "someone@example.com", note: "asked by phone" })
    await recordEvents(testWork().work, [reportOf(ref, "bounced", at, bounce)])
    const { body } = await team.api.get("/suppressions")
    expect(body.data).toMatchObject([{ reason: "manual", note: "asked by phone" }])
  })
})

describe("the sweep", () => {
  const due = (ref: { emailId: string }) =>
    env.DB.prepare("select due_at from emails where id = ?")
      .bind(ref.emailId)
      .first<number>("due_at")

  it("takes up an email whose message was lost", async () => {
    const { ref, read } = await scheduleEmail(await makeTeam())
    await env.DB.prepare(
      "update emails set status = 'queued', not_before = ?1, due_at = ?1 where id = ?2",
    )
      .bind(Date.now() - 40_000, ref.emailId)
      .run()
    const { work } = testWork()
    await sweepEmails(work)
    await eventually(async () => expect((await read()).status).toBe("delivered"))
    expect(await due(ref)).toBeNull()
  })

  it("leaves emails alone that are not due within the minute", async () => {
    const { ref } = await scheduleEmail(await makeTeam())
    const before = await due(ref)
    await sweepEmails(testWork().work)
    expect(await due(ref)).toBe(before)
  })

  it("enqueues one message for each second with due emails, however many", async () => {
    const team = await makeTeam()
    const at = Date.now() + HOUR_MS
    for (const scheduledAt of [at, at + 10, at + 2_000]) {
      await scheduleEmail(team, { scheduledAt: new Date(scheduledAt).toISOString() })
    }
    const { queue, sent } = fakeQueue()
    const clock = makeClock(at - 30_000)
    await sweepEmails(testWork({ clock, settings: { SENDS: queue } }).work)
    expect(
      sent.filter(({ message }) => "teams" in message && message.teams.includes(team.id)),
    ).toMatchObject([{ delaySeconds: 30 }, { delaySeconds: 31 }, { delaySeconds: 32 }])
  })
})

describe("the simulator's mailboxes", () => {
  it.each([
    ["success", "delivered", ["sent", "delivered"], null],
    ["anyone-else", "delivered", ["sent", "delivered"], null],
    ["ooto", "delivered", ["sent", "delivered"], null],
    ["bounce", "bounced", ["sent", "bounced"], "bounce"],
    ["softbounce", "bounced", ["sent", "bounced"], null],
    ["suppressionlist", "bounced", ["sent", "bounced"], "bounce"],
    ["complaint", "complained", ["sent", "delivered", "complained"], "complaint"],
    ["notspam", "complained", ["sent", "delivered", "complained"], null],
    ["delay", "delivered", ["sent", "delayed", "delivered"], null],
    ["reject", "failed", ["failed"], null],
    ["stuck", "sent", ["sent"], null],
  ])("%s ends as %s", async (mailbox, status, types, reason) => {
    const team = await makeTeam()
    const address = `${mailbox}+${crypto.randomUUID().slice(0, 8)}@simulator.amazonses.com`
    const { body } = await team.api.post("/emails", {
      from: `sender@${team.domain}`,
      to: address,
      subject: "Hello",
      text: "Hi",
    })
    await eventually(async () => {
      const { body: email } = await team.api.get(`/emails/${body.id}`)
      expect([email.status, typesOf(email.events)]).toEqual([status, types])
    })
    const { body: listed } = await team.api.get("/suppressions")
    expect(listed.data.map((entry: { reason: string }) => entry.reason)).toEqual(
      reason ? [reason] : [],
    )
  })

  it("accept `flaky` at the third attempt", async () => {
    const team = await makeTeam()
    const { ref, read } = await scheduleEmail(team, { to: "flaky@simulator.amazonses.com" })
    const clock = inAnHour()
    for (const delay of [0, 30_000, 60_000]) {
      clock.advance(delay)
      await dispatchEmails(testWork({ clock }).work, [ref])
    }
    await eventually(async () => expect((await read()).status).toBe("delivered"))
  })

  it("give each of several recipients an outcome", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/emails", {
      from: `sender@${team.domain}`,
      to: ["success@simulator.amazonses.com"],
      cc: "bounce+x@simulator.amazonses.com",
      subject: "Hello",
      text: "Hi",
    })
    await eventually(async () => {
      const { body: email } = await team.api.get(`/emails/${body.id}`)
      expect(email.status).toBe("bounced")
      // Both happen in the same millisecond, so their ids decide who is told first.
      const [sent, ...outcomes] = email.events
      expect(sent.type).toBe("sent")
      expect(
        outcomes.sort((a: { type: string }, b: { type: string }) => (a.type < b.type ? -1 : 1)),
      ).toMatchObject([
        {
          type: "bounced",
          recipients: ["bounce+x@simulator.amazonses.com"],
          bounceType: "Permanent",
        },
        { type: "delivered", recipients: ["success@simulator.amazonses.com"] },
      ])
    })
  })
})
