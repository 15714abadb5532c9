import { env } from "cloudflare:workers"
import { afterEach, describe, expect, it, vi } from "vitest"
import { newId } from "../../src/lib/id.ts"
import { DAY_MS } from "../../src/lib/time.ts"
import { consume, type QueueMessage } from "../../src/worker/consume.ts"
import { reportOf } from "../../src/worker/emails/outcomes/report.ts"
import type { Env } from "../../src/worker/platform/env.ts"
import { handleApart, retryDelaySeconds } from "../../src/worker/platform/queues/handle-apart.ts"
import { sweepOutbox } from "../../src/worker/stream/sweep.ts"
import { acceptForLater } from "../support/mail.ts"
import { readStream } from "../support/stream.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { makeClock, testWork } from "../support/work.ts"

const [wranglerToml = ""] = Object.values(
  import.meta.glob("../../wrangler.toml", { query: "?raw", import: "default", eager: true } as {
    eager: true
  }),
) as string[]

interface Delivered {
  body: QueueMessage
  attempts: number
  retries: number[]
}

const delivered = (body: QueueMessage, attempts = 1): Delivered => ({ body, attempts, retries: [] })

const deliver = (settings: Partial<Env>, messages: readonly Delivered[]) =>
  consume(testWork({ settings }).work, {
    queue: "edgepost-outcomes",
    messages: messages.map(({ body, attempts, retries }) => ({
      body,
      attempts,
      retry: ({ delaySeconds }: { delaySeconds: number }) => retries.push(delaySeconds),
    })),
  } as unknown as MessageBatch<QueueMessage>)

/** A database that `before` each batch may be away, and `after` each may lose its answer. */
function failingDatabase(before: (text: string) => boolean, after = () => false) {
  let calls = 0
  const DB = new Proxy(env.DB, {
    get(db, name) {
      if (name === "prepare") {
        return (text: string) => db.prepare(text)
      }
      if (name !== "batch") return Reflect.get(db, name).bind(db)
      return async (statements: D1PreparedStatement[]) => {
        calls++
        if (before(JSON.stringify(statements))) throw new Error("D1 is down")
        const results = await db.batch(statements)
        if (after()) throw new Error("The answer was lost")
        return results
      }
    },
  })
  return { settings: { DB } as Partial<Env>, calls: () => calls }
}

const outcome = (team: Team, emailId: string, at: number): QueueMessage => ({
  kind: "outcomes",
  events: [reportOf({ teamId: team.id, emailId }, "delivered", at)],
})

const statusesOf = async (team: Team) =>
  (await team.api.get("/emails?limit=100")).body.data.map(
    ({ status }: { status: string }) => status,
  )

afterEach(() => vi.restoreAllMocks())
const silence = () => vi.spyOn(console, "error").mockImplementation(() => {})

describe("an outcome", () => {
  it("that cannot be recorded takes none of its neighbours along", async () => {
    silence()
    const team = await makeTeam()
    const messages: Delivered[] = []
    for (let index = 0; index < 40; index++) {
      messages.push(delivered(outcome(team, await acceptForLater(team), index)))
    }
    const poison = messages[17]
    // What D1 says of a value that it cannot take.
    Object.assign(poison?.body ?? {}, { events: [{ teamId: team.id, data: {}, occurredAt: 1e99 }] })
    await deliver({}, messages)
    expect(messages.filter(({ retries }) => retries.length > 0)).toEqual([poison])
    expect(
      (await statusesOf(team)).filter((status: string) => status === "delivered"),
    ).toHaveLength(39)
  })

  it("survives four days without the database: few calls, growing waits", async () => {
    silence()
    const team = await makeTeam()
    const emailId = await acceptForLater(team)
    const { settings, calls } = failingDatabase(() => true)
    const messages = Array.from({ length: 100 }, (_, at) =>
      delivered(outcome(team, emailId, at), 4),
    )
    await deliver(settings, messages)
    expect(calls()).toBeLessThanOrEqual(16)
    expect(messages.every(({ retries }) => retries.join() === "80")).toBe(true)

    const waits = Array.from({ length: 100 }, (_, tried) => retryDelaySeconds(tried + 1))
    expect(waits.slice(0, 4)).toEqual([10, 20, 40, 80])
    expect(Math.max(...waits)).toBeLessThanOrEqual(12 * 3_600)
    const total = waits.reduce((sum, wait) => sum + wait * 1000, 0)
    expect(total).toBeGreaterThan(3.4 * DAY_MS)
    expect(total).toBeLessThan(3.8 * DAY_MS)

    await deliver({}, messages)
    expect(await statusesOf(team)).toEqual(["delivered"])
  })

  it("is recorded and told once, whatever is repeated, reordered or killed on its way", async () => {
    silence()
    const team = await makeTeam()
    const ids: string[] = []
    for (let index = 0; index < 30; index++) ids.push(await acceptForLater(team))
    const types = ["sent", "delivered", "complained"] as const
    const bodies = ids.flatMap((emailId) =>
      types.map((type, at): QueueMessage => {
        const data = type === "complained" ? { recipients: [`${emailId}@example.com`] } : {}
        const event = reportOf({ teamId: team.id, emailId }, type, Date.now() + at, data)
        return { kind: "outcomes", events: [event] }
      }),
    )
    let calls = 0
    const { settings } = failingDatabase(
      () => ++calls % 3 === 0,
      () => ++calls % 5 === 0,
    )
    const TEAM_STREAM = {
      getByName: (name: string) =>
        ++calls % 2
          ? env.TEAM_STREAM.getByName(name)
          : { announce: () => Promise.reject("killed") },
    } as never
    // Each message comes twice, far apart, in an order that no sender had.
    let waiting = [...bodies, ...bodies]
      .map((body, index) => ({ body, order: (index * 7_919) % 181 }))
      .sort((a, b) => a.order - b.order)
      .map(({ body }) => delivered(body))
    for (let round = 0; round < 20 && waiting.length > 0; round++) {
      const batch = waiting.splice(0, 25)
      await deliver({ ...settings, TEAM_STREAM }, batch)
      waiting = [
        ...waiting,
        ...batch.flatMap(({ body, retries }) => (retries.length > 0 ? [delivered(body)] : [])),
      ]
    }
    await deliver({}, waiting)

    expect(await statusesOf(team)).toEqual(ids.map(() => "complained"))
    for (const id of ids) {
      const { body } = await team.api.get(`/emails/${id}`)
      expect(body.events.map(({ type }: { type: string }) => type)).toEqual(types)
    }
    const { results } = await env.DB.prepare(
      "select sum(sent) as sent, sum(delivered) as delivered, sum(complained) as complained from stats_days where team_id = ?",
    )
      .bind(team.id)
      .all()
    expect(results).toEqual([{ sent: 30, delivered: 30, complained: 30 }])
    expect((await team.api.get("/suppressions?limit=100")).body.data).toHaveLength(30)

    await sweepOutbox(testWork({ clock: makeClock(Date.now() + 60_000) }).work)
    const reader = await readStream(team.api.key, "0")
    await reader.next()
    const told: string[] = []
    for (let index = 0; index < 90; index++) {
      told.push(JSON.parse((await reader.next()).data ?? "").id)
    }
    expect(told.toSorted()).toEqual(ids.flatMap((id) => [id, id, id]).toSorted())
    await reader.close()
    const ahead = await readStream(team.api.key, "90")
    expect(await ahead.next()).toEqual({ comment: "connected" })
    await ahead.close()
  })
})

it.each(["outcomes", "email-events"])(
  "the queue of %s, whose messages are the only copies, never drops one",
  (name) => {
    const [, consumer = ""] = wranglerToml.split(
      `[[queues.consumers]]\nqueue = "edgepost-${name}"\n`,
    )
    const [own = ""] = consumer.split("\n[[")
    expect(own).toContain("max_retries = 100")
    expect(own).toContain('dead_letter_queue = "edgepost-dead-letters"')
  },
)

it("only messages that are the only copies become dead letters", () => {
  const [, ...consumers] = wranglerToml.split("[[queues.consumers]]\n")
  const withLetters = consumers.filter((one) => one.includes("dead_letter_queue"))
  expect(withLetters.map((one) => one.split('"')[1])).toEqual([
    "edgepost-outcomes",
    "edgepost-email-events",
  ])
})

it("an unreadable message is dropped, and its neighbour is handled", async () => {
  silence()
  const team = await makeTeam()
  const emailId = await acceptForLater(team)
  const none = delivered(null as unknown as QueueMessage)
  await deliver({}, [none, delivered(outcome(team, emailId, 0))])
  expect(none.retries).toEqual([])
  expect(await statusesOf(team)).toEqual(["delivered"])
})

describe("a message that fails beside others", () => {
  it.each([
    "D1_ERROR: D1 DB reset because its code was updated.",
    "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
    "D1_ERROR: Currently processing a long-running export.",
  ])("sends the whole batch back after '%s'", async (fault) => {
    silence()
    let calls = 0
    const retried: string[] = []
    const messages = Array.from({ length: 100 }, (_, index) => {
      return { id: `${index}`, attempts: 1, retry: () => retried.push(`${index}`) }
    })
    await handleApart(messages as unknown as Message[], async () => {
      calls++
      throw new Error("Failed query", { cause: new Error(fault) })
    })
    expect([calls, retried.length]).toEqual([1, 100])
  })

  it("is found at a cost of a few calls", async () => {
    silence()
    const calls: number[] = []
    const retried: string[] = []
    const messages = Array.from({ length: 100 }, () => {
      const id = newId("request")
      return { id, attempts: 2, retry: () => retried.push(id) } as unknown as Message
    })
    const poison = messages[63]
    await handleApart(messages, async (part) => {
      calls.push(part.length)
      if (poison && part.includes(poison)) throw new Error("poison")
    })
    expect(retried).toEqual([poison?.id])
    expect(calls.length).toBeLessThanOrEqual(16)
  })
})
