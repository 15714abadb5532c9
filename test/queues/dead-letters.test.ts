import { createMessageBatch } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { emailEvent } from "../../src/emails/record.ts"
import { DAY_MS } from "../../src/lib/time.ts"
import { consume } from "../../src/queues/consume.ts"
import { purgeDeadLetters, replayDeadLetters } from "../../src/queues/dead-letters.ts"
import type { QueueMessage } from "../../src/queues/messages.ts"
import { eventually } from "../support/eventually.ts"
import { makeTeam } from "../support/team.ts"
import { makeClock, testWork } from "../support/work.ts"

const batchOf = (queue: string, bodies: QueueMessage[]) =>
  createMessageBatch(
    queue,
    bodies.map((body, index) => ({
      id: String(index),
      timestamp: new Date(),
      attempts: 1,
      body,
    })),
  ) as MessageBatch<QueueMessage>

const letters = async () =>
  (
    await env.DB.prepare("select * from dead_letters order by id").all<{
      id: string
      queue: string
      body: string
      replayed_at: number | null
    }>()
  ).results

describe("what a queue gave up on", () => {
  it("is purged after the days of content", async () => {
    const clock = makeClock()
    const { work } = testWork({ clock })
    await consume(work, batchOf("any-dead-letters", [{ kind: "outcomes", events: [] }]))
    clock.advance(29 * DAY_MS)
    await purgeDeadLetters(work)
    expect(await letters()).toHaveLength(1)
    clock.advance(2 * DAY_MS)
    await purgeDeadLetters(work)
    expect(await letters()).toEqual([])
  })

  it("is kept, and goes back when somebody asks for it", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/emails", {
      from: `a@${team.domain}`,
      to: "stuck@simulator.amazonses.com",
      subject: "Hello",
      text: "Hi",
    })
    const ref = { teamId: team.id, emailId: body.id }
    const events = [emailEvent(ref, "delivered", Date.now())]
    await consume(testWork().work, batchOf("any-name-dead-letters", [{ kind: "outcomes", events }]))
    const [letter] = await letters()
    expect(letter).toMatchObject({ queue: "outcomes", replayed_at: null })
    expect(JSON.parse(letter?.body ?? "")).toEqual({ kind: "outcomes", events })

    await replayDeadLetters(testWork().work)
    expect((await letters())[0]?.replayed_at).toBeNull()
    await env.DB.prepare("update dead_letters set replay_at = 0 where id = ?")
      .bind(letter?.id)
      .run()
    await replayDeadLetters(testWork().work)
    expect((await letters())[0]?.replayed_at).toBeGreaterThan(0)
    await eventually(async () => {
      const { body: email } = await team.api.get(`/emails/${body.id}`)
      expect(email.status).toBe("delivered")
    })
  })
})

describe("a queue message", () => {
  it("that comes twice, or for a team that is gone, does no harm", async () => {
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
