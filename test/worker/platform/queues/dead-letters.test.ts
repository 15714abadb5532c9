import { createMessageBatch } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, describe, expect, it, vi } from "vitest"
import { newId } from "../../../../src/lib/id.ts"
import { DAY_MS } from "../../../../src/lib/time.ts"
import { consume, type QueueMessage } from "../../../../src/worker/consume.ts"
import { reportOf } from "../../../../src/worker/emails/outcomes/report.ts"
import { eraseDeadLetters } from "../../../../src/worker/erasure/dead-letters.ts"
import { placeOf } from "../../../../src/worker/platform/db/databases.ts"
import type { Env } from "../../../../src/worker/platform/env.ts"
import {
  purgeDeadLetters,
  replayDeadLetters,
  sweepDeadLetters,
} from "../../../../src/worker/platform/queues/dead-letters.ts"
import { erasedForm } from "../../../../src/worker/suppressions/erased.ts"
import { noteDeadLetters } from "../../../../src/worker/teams/notices/keep.ts"
import { eventually } from "../../../support/eventually.ts"
import { directory } from "../../../support/installation.ts"
import { interruptedDb } from "../../../support/interrupted-db.ts"
import { fakeQueue } from "../../../support/queue.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { makeClock, testWork } from "../../../support/work.ts"

const WRITTEN_AT = new Date()

const batchOf = (queue: string, bodies: QueueMessage[]) =>
  createMessageBatch(
    queue,
    bodies.map((body, index) => ({
      id: String(index),
      timestamp: WRITTEN_AT,
      attempts: 1,
      body,
    })),
  ) as MessageBatch<QueueMessage>

const letters = async (db = env.DB) =>
  (
    await db.prepare("select * from dead_letters order by id").all<{
      id: string
      queue: string
      body: string
      replayed_at: number | null
    }>()
  ).results

const inBucket = async () => (await env.CONTENT.list({ prefix: "dead-letters/" })).objects

/** An environment whose database is away. */
const withoutDatabase: Partial<Env> = {
  DB: new Proxy(env.DB, {
    get() {
      throw new Error("D1 is down")
    },
  }),
}

async function stuckEmail() {
  const team = await makeTeam()
  const { body } = await team.api.post("/emails", {
    from: `a@${team.domain}`,
    to: "stuck@simulator.amazonses.com",
    subject: "Hello",
    text: "Hi",
  })
  const read = async () => (await team.api.get(`/emails/${body.id}`)).body
  return { ref: { teamId: team.id, emailId: body.id as string }, read }
}

describe("a dead letter", () => {
  const silence = () => vi.spyOn(console, "error").mockImplementation(() => {})
  afterEach(() => vi.restoreAllMocks())

  it("is kept without the database, and goes back by itself once", async () => {
    silence()
    const { ref, read } = await stuckEmail()
    const events = [reportOf(ref, "delivered", Date.now())]
    const { work: cut } = testWork({ settings: withoutDatabase })
    const batch = batchOf("any-name-dead-letters", [{ kind: "outcomes", events }])
    for (let times = 0; times < 2; times++) await consume(cut, batch)
    expect(await inBucket()).toHaveLength(1)
    await sweepDeadLetters(testWork().work, noteDeadLetters)
    expect(await inBucket()).toEqual([])
    await eventually(async () => expect((await read()).status).toBe("delivered"))
    expect(await letters()).toEqual([])
  })

  it("that nobody can read does not hold up the others", async () => {
    silence()
    await env.CONTENT.put("dead-letters/broken", "not JSON")
    const again: QueueMessage = { kind: "outcomes", events: [], replayed: true }
    const { work } = testWork()
    await consume(work, batchOf("any-dead-letters", [again, again]))
    const before = (await letters()).length
    await sweepDeadLetters(work, noteDeadLetters)
    expect(await inBucket()).toEqual([])
    expect((await letters()).length).toBe(before + 2)
    expect(await (await env.CONTENT.get("unreadable-letters/broken"))?.text()).toBe("not JSON")
    await env.DB.prepare("delete from dead_letters").run()
  })

  it("that the bucket does not answer stays, and does not hold up the others", async () => {
    silence()
    const again: QueueMessage = { kind: "outcomes", events: [], replayed: true }
    const { work } = testWork()
    await consume(work, batchOf("any-dead-letters", [again, again]))
    const [lost] = await inBucket()
    const CONTENT = new Proxy(env.CONTENT, {
      get(bucket, name) {
        if (name === "get") return failFor(lost?.key)
        return Reflect.get(bucket, name).bind(bucket)
      },
    })
    const failFor = (failing: string | undefined) => async (key: string) => {
      if (key === failing) throw new Error("get: We encountered an internal error (10001)")
      return env.CONTENT.get(key)
    }
    const before = (await letters()).length
    await sweepDeadLetters({ ...work, env: { ...work.env, CONTENT } }, noteDeadLetters)
    expect((await letters()).length).toBe(before + 1)
    expect((await inBucket()).map(({ key }) => key)).toEqual([lost?.key])
    await sweepDeadLetters(work, noteDeadLetters)
    expect([await inBucket(), (await letters()).length]).toEqual([[], before + 2])
    await env.DB.prepare("delete from dead_letters").run()
  })

  it("waits for a person the second time, and is purged after the days of content", async () => {
    silence()
    const clock = makeClock()
    const { work } = testWork({ clock })
    const again: QueueMessage = { kind: "outcomes", events: [], replayed: true }
    await consume(work, batchOf("any-dead-letters", [again]))
    await sweepDeadLetters(work, noteDeadLetters)
    expect(await inBucket()).toEqual([])
    clock.advance(29 * DAY_MS)
    await purgeDeadLetters(work)
    expect(await letters()).toHaveLength(1)
    clock.advance(2 * DAY_MS)
    await purgeDeadLetters(work)
    expect(await letters()).toEqual([])
  })

  it("goes back when a person asks for it, also more than a hundred at once", async () => {
    const { queue, sent } = fakeQueue()
    const { work } = testWork({ settings: { OUTCOMES: queue } })
    const { ref, read } = await stuckEmail()
    const text = "x".repeat(900)
    const events = Array.from({ length: 70 }, (_, at) =>
      reportOf(ref, "delayed", at, { reason: text }),
    )
    const body = JSON.stringify({ kind: "outcomes", events })
    await env.DB.batch(
      Array.from({ length: 120 }, (_, index) =>
        env.DB.prepare("insert into dead_letters values (?, 'outcomes', ?, 1, 0, null)").bind(
          newId("deadLetter", Date.now() + index),
          body,
        ),
      ),
    )
    await replayDeadLetters(work)
    await replayDeadLetters(work)
    expect(sent).toHaveLength(120)
    expect((await letters()).every(({ replayed_at }) => Number(replayed_at) > 0)).toBe(true)
    await env.DB.prepare("delete from dead_letters").run()
    await consume(testWork().work, batchOf("edgepost-outcomes", [sent[0]?.message as QueueMessage]))
    expect((await read()).events.length).toBeGreaterThanOrEqual(70)
  })

  it("goes back again when a person asks again while it goes back", async () => {
    const { queue, sent } = fakeQueue()
    const again: QueueMessage = { kind: "outcomes", events: [], replayed: true }
    await env.DB.prepare("insert into dead_letters values ('dl_1', 'outcomes', ?, 1, 1, null)")
      .bind(JSON.stringify(again))
      .run()
    const DB = interruptedDb(/update "dead_letters"/, () =>
      env.DB.prepare("update dead_letters set replay_at = 2").run(),
    )
    const { work } = testWork({ settings: { DB, OUTCOMES: queue } })
    for (let minute = 0; minute < 3; minute++) await replayDeadLetters(work)
    expect(sent).toHaveLength(2)
    await env.DB.prepare("delete from dead_letters").run()
  })

  it("may be an event of Cloudflare, which goes back too", async () => {
    silence()
    const { queue, sent } = fakeQueue()
    const report = { type: "cf.email.sending.message.bounced", payload: { recipient: "a@b.co" } }
    const { work } = testWork({ settings: { OUTCOMES: queue } })
    await consume(work, batchOf("any-dead-letters", [report as never]))
    await sweepDeadLetters(work, noteDeadLetters)
    expect(sent.map(({ message }) => message)).toEqual([
      { kind: "outcomes", report, replayed: true, ...placeOf(env) },
    ])
    await consume(testWork().work, batchOf("edgepost-outcomes", [sent[0]?.message as QueueMessage]))
  })

  it("with an event of Cloudflare loses the person that is erased", async () => {
    silence()
    const [made, other] = [await makeTeam(), await makeTeam()]
    // Longer than a pattern of D1 may be.
    const team = { ...made, domain: `${"long-".repeat(9)}name.${made.domain}` }
    await env.DB.prepare("update domains set name = ? where team_id = ?")
      .bind(team.domain, team.id)
      .run()
    const report = ({ domain }: Team) => ({
      type: "cf.email.sending.message.bounced",
      payload: {
        eventId: "e",
        messageId: "m",
        sender: `a@mail.${domain}`,
        recipient: "Ada@example.com",
        subject: "Hi Ada",
        bounce: { type: "hard", reason: "550 ada@example.com" },
      },
    })
    const bodies = [team, other].map((one) => ({
      kind: "outcomes" as const,
      report: report(one),
      replayed: true as const,
    }))
    const { work } = testWork()
    await consume(work, batchOf("any-dead-letters", bodies))
    await eraseDeadLetters(work, team.id, "ada@example.com")
    const reports = (await letters(directory)).map(({ body }) => JSON.parse(body).report)
    expect(reports).toContainEqual(report(other))
    expect(reports).toContainEqual({
      type: "cf.email.sending.message.bounced",
      payload: {
        eventId: "e",
        messageId: "m",
        sender: `a@mail.${team.domain}`,
        recipient: erasedForm(testWork().work.settings, "ada@example.com"),
        bounce: { type: "hard" },
      },
    })
  })
})

describe("a queue message", () => {
  it("that comes twice, or for a deleted team, is harmless", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/emails", {
      from: `a@${team.domain}`,
      to: "someone@example.com",
      subject: "Hello",
      text: "Hi",
    })
    const teams = [team.id, "team_00000000000000000000000000", team.id]
    const message: QueueMessage = { kind: "sends", teams, dueAt: Date.now() }
    await Promise.all([
      consume(testWork().work, batchOf("edgepost-sends", [message, message])),
      consume(testWork().work, batchOf("edgepost-sends", [message])),
    ])
    await eventually(async () => {
      const { body: email } = await team.api.get(`/emails/${body.id}`)
      expect(email.events.map(({ type }: { type: string }) => type)).toEqual(["sent", "delivered"])
    })
    const { body: inbox } = await team.api.get(`/sandbox/messages?emailId=${body.id}`)
    expect(inbox.data).toHaveLength(1)
  })
})
