import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { gzip } from "../../../../src/lib/gzip.ts"
import type { EmailRef } from "../../../../src/worker/emails/messages.ts"
import { theseEmails } from "../../../../src/worker/emails/sending/choose.ts"
import { type Claim, claimEmails, LEASE_MS } from "../../../../src/worker/emails/sending/claim.ts"
import { sendClaimed } from "../../../../src/worker/emails/sending/send-claimed.ts"
import { type Provider, UnwritableMessage } from "../../../../src/worker/providers/provider.ts"
import { dispatchEmails } from "../../../support/dispatch.ts"
import { eventually } from "../../../support/eventually.ts"
import { endPauses } from "../../../support/providers.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { type Clock, makeClock, testWork } from "../../../support/work.ts"

beforeEach(async () => void (await endPauses()))

const HOUR_MS = 3_600_000
const SETTLE_MS = 300_000

const inAnHour = () => makeClock(Date.now() + HOUR_MS + 1_000)

async function scheduleEmails(team: Team, count: number, change: object = {}) {
  const items = Array.from({ length: count }, () => ({
    from: `sender@${team.domain}`,
    to: "someone@example.com",
    subject: "Hello",
    text: "Hi",
    scheduledAt: new Date(Date.now() + HOUR_MS).toISOString(),
    ...change,
  }))
  const { body } = await team.api.post("/emails/batch", items)
  return body.data.map(({ id }: { id: string }) => ({ teamId: team.id, emailId: id }))
}

type Fault = "before the commit" | "after the commit" | null

/** Work on a database whose batches fail where `faultOf` says so, counted from 1. */
function faultyWork(clock: Clock, faultOf: (batch: number) => Fault) {
  let batches = 0
  const DB = new Proxy(env.DB, {
    get(db, name) {
      if (name !== "batch") return Reflect.get(db, name).bind(db)
      return async (statements: D1PreparedStatement[]) => {
        const fault = faultOf(++batches)
        if (fault === "before the commit") throw new Error("D1 is overloaded")
        const results = await db.batch(statements)
        if (fault === "after the commit") throw new Error("Network connection lost")
        return results
      }
    },
  })
  return testWork({ clock, settings: { DB } }).work
}

function fakeProvider(): { provider: Provider; handed: string[] } {
  const handed: string[] = []
  return {
    handed,
    provider: {
      name: "ses",
      settleMs: SETTLE_MS,
      sendRate: async () => null,
      async send({ emailId }) {
        handed.push(emailId)
        return { ok: true, providerMessageId: emailId, acceptedAt: Date.now() }
      },
    },
  }
}

it("a provider that never answers for one email delays the record of others by less than their lease", async () => {
  const team = await makeTeam()
  const refs = await scheduleEmails(team, 3)
  const clock = inAnHour()
  const { provider, handed } = fakeProvider()
  const send: Provider["send"] = (message) =>
    message.emailId === refs[1].emailId ? new Promise(() => {}) : provider.send(message)
  const { work } = testWork({ clock })
  vi.spyOn(console, "error").mockImplementation(() => {})
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const dispatched = dispatchEmails(work, refs, { provider: { ...provider, send } })
  await eventually(() => expect(handed).toHaveLength(2))
  await vi.advanceTimersByTimeAsync(LEASE_MS - 15_000)
  vi.useRealTimers()
  await dispatched
  const read = async (ref: EmailRef) => (await team.api.get(`/emails/${ref.emailId}`)).body.status
  expect(await Promise.all(refs.map(read))).toEqual(["sent", "sending", "sent"])
})

const readFirst = async (team: Team, [ref]: { emailId: string }[]) =>
  (await team.api.get(`/emails/${ref?.emailId}`)).body

describe("a record that fails", () => {
  it.each(["before the commit", "after the commit"] as const)(
    "%s is repeated: nothing is sent twice",
    async (fault) => {
      const team = await makeTeam()
      const refs = await scheduleEmails(team, 3)
      const clock = inAnHour()
      const { provider, handed } = fakeProvider()
      const work = faultyWork(clock, (batch) => (batch === 2 ? fault : null))
      await dispatchEmails(work, refs, { provider })
      expect((await readFirst(team, refs)).events).toMatchObject([{ type: "sent" }])
      clock.advance(LEASE_MS + SETTLE_MS)
      await dispatchEmails(testWork({ clock }).work, refs, { provider })
      expect(handed).toHaveLength(3)
    },
  )
})

describe("a claim whose answer is lost", () => {
  it("is given back at once, and its email is sent once", async () => {
    const team = await makeTeam()
    const refs = await scheduleEmails(team, 2)
    const clock = inAnHour()
    const { provider, handed } = fakeProvider()
    const work = faultyWork(clock, (batch) => (batch === 1 ? "after the commit" : null))
    await expect(dispatchEmails(work, refs, { provider })).rejects.toThrow()
    expect(handed).toEqual([])
    await dispatchEmails(testWork({ clock }).work, refs, { provider })
    expect(handed).toHaveLength(2)
    const { events } = await readFirst(team, refs)
    expect(events).toHaveLength(1)
    expect(events[0].reason).toBeUndefined()
  })

  it("gives back nothing that another consumer holds", async () => {
    const team = await makeTeam()
    const [one, two] = await scheduleEmails(team, 2)
    const clock = inAnHour()
    const { provider, handed } = fakeProvider()
    const hanging = { ...provider, send: () => new Promise<never>(() => {}) }
    void dispatchEmails(testWork({ clock }).work, [one], { provider: hanging })
    while ((await readFirst(team, [one])).status !== "sending") await scheduler.wait(10)
    const work = faultyWork(clock, (batch) => (batch === 1 ? "after the commit" : null))
    await expect(dispatchEmails(work, [one, two], { provider })).rejects.toThrow()
    await dispatchEmails(testWork({ clock }).work, [one, two], { provider })
    expect(handed).toEqual([two.emailId])
  })
})

describe("a postponement whose answer is lost", () => {
  it("is repeated without ending the lease of the next consumer", async () => {
    const team = await makeTeam()
    const refs = await scheduleEmails(team, 1)
    const clock = inAnHour()
    const { provider, handed } = fakeProvider()
    const claimNow = () =>
      claimEmails(testWork({ clock }).work, provider, theseEmails(refs), {
        kind: "backlog",
        size: 1,
      })
    const late = await claimNow()
    clock.advance(LEASE_MS)
    // The email is released, its answer is lost, and the next consumer claims it meanwhile.
    const DB = new Proxy(env.DB, {
      get(db, name) {
        if (name !== "batch") return Reflect.get(db, name).bind(db)
        return async (statements: D1PreparedStatement[]) => {
          const results = await db.batch(statements)
          if (next) return results
          next = await claimNow()
          throw new Error("Network connection lost")
        }
      },
    })
    let next: Claim | undefined
    await sendClaimed(testWork({ clock, settings: { DB } }).work, provider, late)
    expect(next?.claims).toHaveLength(1)
    expect((await claimNow()).claims).toEqual([])
    await sendClaimed(testWork({ clock }).work, provider, next!)
    expect(handed).toEqual([refs[0].emailId])
  })
})

describe("a fault before the hand-over", () => {
  it("is retried soon, since the provider cannot have the email", async () => {
    const team = await makeTeam()
    const refs = await scheduleEmails(team, 1)
    const clock = inAnHour()
    const { provider, handed } = fakeProvider()
    const { work } = testWork({ clock, settings: { CONTENT: undefined as never } })
    await env.DB.prepare(
      "update email_contents set body = null, object_key = 'x' where email_id = ?",
    )
      .bind(refs[0].emailId)
      .run()
    await dispatchEmails(work, refs, { provider })
    expect(await readFirst(team, refs)).toMatchObject({
      status: "sending",
      lastError: "The content of this email could not be read.",
    })
    await env.CONTENT.put(
      "x",
      gzip(JSON.stringify({ html: null, text: "Hi", headers: {}, attachments: [] })),
    )
    clock.advance(30_000)
    await dispatchEmails(testWork({ clock }).work, refs, { provider })
    expect(handed).toHaveLength(1)
    const { events } = await readFirst(team, refs)
    expect(events[0].reason).toBeUndefined()
  })
})

describe("a message that cannot be written", () => {
  it("fails after six attempts, and holds up no other", async () => {
    const team = await makeTeam()
    const refs = await scheduleEmails(team, 2)
    const clock = inAnHour()
    const { provider, handed } = fakeProvider()
    const picky: Provider = {
      ...provider,
      async send(message) {
        if (message.emailId === refs[0].emailId) throw new UnwritableMessage("No place")
        return provider.send(message)
      },
    }
    for (let attempt = 1; attempt <= 6; attempt++) {
      await dispatchEmails(testWork({ clock }).work, refs, { provider: picky })
      clock.advance(480_000)
    }
    expect(await readFirst(team, refs)).toMatchObject({
      status: "failed",
      lastError: "The message of this email could not be made.",
    })
    expect(handed).toEqual([refs[1].emailId])
  })
})

describe("a hand-over that would begin after the lease", () => {
  const slow = (clock: Clock, method: "get" | "put") =>
    new Proxy(env.CONTENT, {
      get: (bucket, name) => async (key: string, value: string) => {
        if (name === method) clock.advance(LEASE_MS + 1_000)
        return name === "get" ? bucket.get(key) : bucket.put(key, value)
      },
    })
  const html = Array.from({ length: 20_000 }, () => crypto.randomUUID()).join(" ")

  it("does not happen where the content came late", async () => {
    const team = await makeTeam()
    const refs = await scheduleEmails(team, 1, { html })
    const clock = inAnHour()
    const { provider, handed } = fakeProvider()
    const { work } = testWork({ clock, settings: { CONTENT: slow(clock, "get") as never } })
    await dispatchEmails(work, refs, { provider })
    expect(handed).toHaveLength(0)
    await dispatchEmails(testWork({ clock }).work, refs, { provider })
    expect(handed).toHaveLength(1)
  })

  it("does not happen where the test inbox was slow to store it", async () => {
    const team = await makeTeam()
    const refs = await scheduleEmails(team, 1, { html })
    const clock = inAnHour()
    const { work } = testWork({ clock, settings: { CONTENT: slow(clock, "put") as never } })
    await dispatchEmails(work, refs)
    const inbox = await env.DB.prepare("select * from sandbox_messages where team_id = ?")
      .bind(team.id)
      .all()
    expect(inbox.results).toEqual([])
  })
})

describe("a large message", () => {
  it("starts after the small messages of its claim are recorded", async () => {
    const team = await makeTeam()
    const [large] = await scheduleEmails(team, 1, { html: "<p>x</p>".repeat(200_000) })
    const small = await scheduleEmails(team, 2)
    const { provider } = fakeProvider()
    const statuses: string[] = []
    await dispatchEmails(testWork({ clock: inAnHour() }).work, [large, ...small], {
      provider: {
        ...provider,
        async send(message) {
          if (message.emailId === large.emailId) {
            for (const ref of small) statuses.push((await readFirst(team, [ref])).status)
          }
          return provider.send(message)
        },
      },
    })
    expect(statuses).toEqual(["sent", "sent"])
    expect((await readFirst(team, [large])).status).toBe("sent")
  })

  it("is recorded before the next one is sent", async () => {
    const team = await makeTeam()
    const large = await scheduleEmails(team, 3, { html: "<p>x</p>".repeat(200_000) })
    const { provider } = fakeProvider()
    const sentBefore: number[] = []
    await dispatchEmails(testWork({ clock: inAnHour() }).work, large, {
      provider: {
        ...provider,
        async send(message) {
          const found = await Promise.all(large.map((ref: EmailRef) => readFirst(team, [ref])))
          sentBefore.push(found.filter(({ status }) => status === "sent").length)
          return provider.send(message)
        },
      },
    })
    expect(sentBefore).toEqual([0, 1, 2])
  })
})
