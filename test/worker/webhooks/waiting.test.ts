import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import type { Work } from "../../../src/worker/platform/context.ts"
import { commit } from "../../../src/worker/platform/db/commit.ts"
import { claimDue } from "../../../src/worker/webhooks/deliveries/claim.sql.ts"
import { sweepDeliveries } from "../../../src/worker/webhooks/deliveries/sweep.ts"
import { catchUp } from "../../../src/worker/webhooks/events/catch-up.ts"
import { purgeEvents } from "../../../src/worker/webhooks/events/purge.ts"
import { storeEvents } from "../../../src/worker/webhooks/events/store.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import {
  DAY,
  dispatch,
  domainEvent,
  endRest,
  happen,
  MINUTE,
  setUp,
  subscribe,
} from "./carrying.ts"

const LIMIT = 100

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

/** A webhook whose receiver is down, and 350 events of which 250 wait. */
async function behind() {
  const set = await setUp()
  // Every look at the clock moves it, as round trips do.
  const now = () => {
    set.clock.advance(1)
    return set.clock.now()
  }
  const settings = { ...set.work.settings, WEBHOOK_PENDING_LIMIT: LIMIT }
  const work: Work = { ...set.work, now, settings }
  const answer = { status: 500 }
  const receiver = internet.receiver(() => new Response(null, answer))
  const { id } = await subscribe(set.team, receiver.url)
  const ref = { teamId: set.team.id, webhookId: id }
  await env.DB.prepare("update webhooks set deliver_until = ? where id = ?").bind(LIMIT, id).run()
  const ids: string[] = []
  const add = async (count: number) => {
    set.clock.advance(1_000)
    const events = Array.from({ length: count }, () => domainEvent(work, set.team))
    ids.push(...events.map(({ id }) => id))
    await happen(work, ...events)
  }
  for (let i = 0; i < 7; i++) await add(50)
  const rows = async () => {
    const { results } = await env.DB.prepare(
      "select event_id, state from deliveries where webhook_id = ? order by id",
    )
      .bind(id)
      .all<{ event_id: string; state: string }>()
    return results
  }
  const pending = async () => (await rows()).filter(({ state }) => state === "pending").length
  const heard = () => receiver.received().map(({ headers }) => headers.get("svc-event-id"))
  /** The queue, until nothing is on its way. */
  const drain = async () => {
    for (let hints = set.sent.splice(0); hints.length > 0; hints = set.sent.splice(0)) {
      const refs = hints.flatMap(({ message }) => ("webhooks" in message ? message.webhooks : []))
      set.clock.advance(1_000)
      await dispatch(work, refs)
      expect(await pending()).toBeLessThanOrEqual(LIMIT)
    }
  }
  return { ...set, work, answer, receiver, id, ref, ids, add, rows, pending, heard, drain }
}

describe("events beyond the limit of pending deliveries", () => {
  it("wait without a row, and are delivered in order once the receiver answers", async () => {
    const { clock, work, answer, ids, rows, pending, heard, drain } = await behind()
    expect(await pending()).toBe(LIMIT)
    answer.status = 200
    await drain()
    expect(heard()).toEqual(expect.arrayContaining(ids))
    expect(heard()).toHaveLength(ids.length)
    expect((await rows()).map(({ event_id }) => event_id)).toEqual(ids)
    clock.advance(MINUTE)
    await sweepDeliveries(work)
    await drain()
    expect(heard()).toHaveLength(ids.length)
  })

  it("cost one number, however many they are", async () => {
    const { add, pending, ref, work } = await behind()
    await add(500)
    expect(await pending()).toBe(LIMIT)
    await Promise.all([1, 2, 3].map(() => catchUp(work, [ref])))
    expect(await pending()).toBe(LIMIT)
  })

  it("are made once, also by calls side by side and beside new events", async () => {
    const { id, ids, add, rows, ref, work } = await behind()
    await env.DB.prepare(
      "update deliveries set state = 'succeeded', due_at = null where webhook_id = ?",
    )
      .bind(id)
      .run()
    await Promise.all([catchUp(work, [ref]), add(20), catchUp(work, [ref]), add(20)])
    for (let round = 0; round < 10; round++) {
      await env.DB.prepare(
        "update deliveries set state = 'succeeded', due_at = null where webhook_id = ?",
      )
        .bind(id)
        .run()
      await catchUp(work, [ref])
    }
    const made = (await rows()).map(({ event_id }) => event_id)
    expect(made).toHaveLength(ids.length)
    expect(new Set(made)).toEqual(new Set(ids))
  })

  it("are found by the sweep when the step after a commit was lost", async () => {
    const { team, id, ids, rows, work, drain, answer, clock } = await behind()
    answer.status = 200
    await env.DB.prepare(
      "update deliveries set state = 'succeeded', due_at = null where webhook_id = ?",
    )
      .bind(id)
      .run()
    const cut = { ...work, defer: () => {} }
    const event = domainEvent(work, team)
    ids.push(event.id)
    await commit(cut, { events: storeEvents(cut, [event]) })
    expect(await rows()).toHaveLength(LIMIT)
    for (let minute = 0; minute < 6; minute++) {
      clock.advance(MINUTE)
      await sweepDeliveries(work)
      await drain()
    }
    expect((await rows()).map(({ event_id }) => event_id)).toEqual(ids)
  })

  it("are left out by a backfill, which waits for room", async () => {
    const { team, id, ref, work, rows, ids } = await behind()
    await env.DB.prepare(
      "update deliveries set state = 'failed', due_at = null where webhook_id = ?",
    )
      .bind(id)
      .run()
    const { body } = await team.api.post(`/webhooks/${id}/backfill`, { after: 0 })
    expect(body).toEqual({ queued: LIMIT, nextAfter: null })
    await catchUp(work, [ref])
    expect(await rows()).toHaveLength(2 * LIMIT)
    await env.DB.prepare(
      `insert into deliveries (team_id, webhook_id, id, sequence, event_id, event_type, not_before,
         due_at, created_at)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000)
       select ?, ?, 'whd_' || i, 1, ?, 'domain.verified', 1e15, 1e15, 1e15 from n`,
    )
      .bind(team.id, id, ids[0])
      .run()
    expect((await team.api.post(`/webhooks/${id}/backfill`, { after: 0 })).status).toBe(409)
  })

  it("get no delivery once the webhook is disabled", async () => {
    const { team, id, add, rows, pending, answer, drain, work, clock } = await behind()
    await team.api.patch(`/webhooks/${id}`, { enabled: false })
    await team.api.patch(`/webhooks/${id}`, { enabled: true })
    await endRest(id)
    answer.status = 200
    await add(1)
    clock.advance(MINUTE)
    await sweepDeliveries(work)
    await drain()
    expect(await pending()).toBe(0)
    expect(await rows()).toHaveLength(LIMIT + 1)
  })

  it("are seen by a claim, whatever other teams have", async () => {
    const { work, ref } = await behind()
    const first = env.DB.prepare("insert into event_sequences (team_id, last) values ('tm_', 0)")
    await first.run()
    const { webhook } = await claimDue(work, ref)
    await env.DB.prepare("delete from event_sequences where team_id = 'tm_'").run()
    expect(webhook?.hasWaiting).toBe(1)
  })

  it("that are purged before there is room are left out", async () => {
    const { id, ref, work, clock, rows } = await behind()
    clock.advance(31 * DAY)
    await purgeEvents(work)
    await env.DB.prepare("delete from deliveries where webhook_id = ?").bind(id).run()
    for (let round = 0; round < 5; round++) await catchUp(work, [ref])
    expect(await rows()).toEqual([])
    const { deliver_until } = (await env.DB.prepare("select * from webhooks where id = ?")
      .bind(id)
      .first()) as { deliver_until: number }
    expect(deliver_until).toBeGreaterThan(350)
  })
})
