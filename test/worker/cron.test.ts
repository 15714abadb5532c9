import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it, vi } from "vitest"
import { newId } from "../../src/lib/id.ts"
import { consume, type QueueMessage } from "../../src/worker/consume.ts"
import { runCron, runMinute } from "../../src/worker/cron.ts"
import type { Env } from "../../src/worker/platform/env.ts"
import { createWork } from "../../src/worker/platform/work.ts"
import { fillEmails } from "../bench/fill/emails.ts"
import { directory } from "../support/installation.ts"
import { interruptedDb } from "../support/interrupted-db.ts"
import { metered } from "../support/meter.ts"
import { fakeQueue } from "../support/queue.ts"
import { makeTeam } from "../support/team.ts"
import { makeClock, testWork } from "../support/work.ts"

const QUEUES = ["SENDS", "SENDS_BACKLOG", "SENDS_BULK", "OUTCOMES", "DELIVERIES", "CAMPAIGNS"]

/** Streams that hear everything. */
const TEAM_STREAM = {
  getByName: () => ({ untold: async (ids: string[]) => ids, announce: async () => {} }),
} as unknown as Env["TEAM_STREAM"]

it("a minute with much to do of every kind stays within the calls of an invocation, and goes on in others", async () => {
  const team = await makeTeam()
  const { DB } = env
  await fillEmails(
    { db: DB, bucket: env.CONTENT },
    { teamId: team.id, domainId: team.domainId },
    { from: 0, to: 3_000, oldestDays: 100, days: 100 },
  )
  const insert = (sql: string, ...values: unknown[]) =>
    DB.prepare(`with recursive n (n) as (select 0 union all select n + 1 from n limit 1500) ${sql}`)
      .bind(...values)
      .run()
  const change = JSON.stringify([{ type: "email", id: newId("email") }])
  await insert(
    "insert into stream_outbox (team_id, id, changes) select 'many' || n, ?1, ?2 from n",
    newId("publication"),
    change,
  )
  await insert(
    "insert into erasures (team_id, email, requested_at) select ?1, 'reader-' || n || '@example.com', 1 from n where n < 30",
    team.id,
  )
  await insert(
    "insert into notices (team_id, kind, day, created_at, due_at) select ?1, 'bounce_rate', '2026-01-' || n, 1, 1 from n where n < 40",
    team.id,
  )
  await insert(
    `insert into domains (team_id, id, name, status, provider, created_at, window_started_at, check_at)
     select ?1, ?2 || n, 'd' || n || '.test', 'pending', 'sandbox', 1, 1, 1 from n where n < 150`,
    team.id,
    newId("domain"),
  )
  const owners = Array.from({ length: 20 }, (_, n) => `owner-${n}-of-${team.id}`)
  await directory.batch(
    owners.flatMap((id) => [
      directory
        .prepare(
          "insert into users (id, name, email, created_at, updated_at) values (?1, ?1, ?2, 1, 1)",
        )
        .bind(id, `${id}@example.com`.toLowerCase()),
      directory
        .prepare(
          "insert into members (team_id, user_id, role, created_at) values (?, ?, 'owner', 1)",
        )
        .bind(team.id, id),
    ]),
  )
  const { queue } = fakeQueue()
  const minutes = fakeQueue()
  const settings = {
    ...Object.fromEntries(QUEUES.map((name) => [name, queue])),
    MINUTES: minutes.queue,
    TEAM_STREAM,
  }
  const clock = makeClock(Date.now() + 60_000)
  const logged = vi.spyOn(console, "error").mockImplementation(() => {})
  const left = async () =>
    (await DB.prepare(
      `select (select count(*) from stream_outbox) + (select count(*) from erasures where team_id = ?1)
         + (select count(*) from notices where team_id = ?1 and due_at <= ?2) as count`,
    )
      .bind(team.id, clock.now())
      .first<number>("count")) ?? 0
  const before = await left()
  const invocations: number[] = []
  for (let minute = 0; minute < 10 && (await left()) > 0; minute++) {
    const { work } = testWork({ clock, settings })
    invocations.push((await metered(() => runMinute(work))).roundTrips)
    for (let message = minutes.sent.shift(); message; message = minutes.sent.shift()) {
      const messages = [{ body: message.message, attempts: 1, retry: () => {} }]
      const batch = { queue: "edgepost-minutes", messages } as unknown as MessageBatch<QueueMessage>
      invocations.push((await metered(() => consume(work, batch))).roundTrips)
    }
    clock.advance(60_000)
  }
  logged.mockRestore()
  expect(before).toBeGreaterThan(1_500)
  expect(await left()).toBe(0)
  expect(Math.max(...invocations)).toBeLessThan(800)
  expect(Math.max(...invocations), String(invocations)).toBeGreaterThan(700)
})

it("a minute that has little to do is one invocation", async () => {
  const minutes = fakeQueue()
  const { work } = testWork({ settings: { MINUTES: minutes.queue } })
  await runMinute(work)
  expect(minutes.sent).toEqual([])
})

it("a part that fails stops no other part, and the minute fails", async () => {
  const team = await makeTeam()
  await env.DB.prepare("insert into erasures (team_id, email, requested_at) values (?, 'a@b.c', 1)")
    .bind(team.id)
    .run()
  const away = interruptedDb(/stream_outbox/, () => Promise.reject(new Error("D1 is down")))
  const { work } = testWork({ settings: { DB: away } })
  await expect(runMinute(work)).rejects.toThrow("A part of the minute's work failed")
  const left = env.DB.prepare("select 1 from erasures where team_id = ?").bind(team.id)
  expect(await left.first()).toBeNull()
})

it("the messages for a hundred databases go into their queue together", async () => {
  const batches: MessageSendRequest<QueueMessage>[][] = []
  const MINUTES = {
    sendBatch: async (messages: Iterable<MessageSendRequest<QueueMessage>>) => {
      batches.push([...messages])
    },
  } as unknown as Queue
  const { DATABASE: _number, DIRECTORY: _directory, ...here } = env
  const others = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`DB_${n + 2}`, env.DB]))
  const settings = { ...here, DB: directory, ...others, MINUTES } as Env
  await runCron(createWork(settings, createExecutionContext()))
  expect(batches).toHaveLength(1)
  expect(batches[0]?.map(({ body }) => body)).toEqual(
    Array.from({ length: 99 }, (_, n) => ({ kind: "minutes", database: n + 2 })),
  )
})
