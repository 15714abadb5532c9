import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { derivedId, newId } from "../../../src/lib/id.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import type { Work } from "../../../src/worker/platform/context.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import type { Announcement } from "../../../src/worker/stream/history.ts"
import { sweepFailingWebhooks } from "../../../src/worker/webhooks/deliveries/failing.ts"
import { purgeEvents } from "../../../src/worker/webhooks/events/purge.ts"
import { eventually } from "../../support/eventually.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import {
  DAY,
  type DeliveryRef,
  dispatch,
  domainEvent,
  endRest,
  HOUR,
  happen,
  MINUTE,
  never,
  setUp,
  subscribe,
} from "./carrying.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

const accept = async (team: Team, work: Work, count = 1) => {
  const emails = Array.from({ length: count }, () => newId("email", work.now()))
  await env.DB.batch(
    emails.map((id) =>
      env.DB.prepare(
        `insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at, not_before)
         values (?, ?, 'sending', ?, ?, 'Hello', ?, ?, 0)`,
      ).bind(
        team.id,
        id,
        JSON.stringify({ address: `a@${team.domain}`, name: "Doe, Jo" }),
        JSON.stringify([{ address: "b@example.com", as: "to" }]),
        team.domainId,
        work.now(),
      ),
    ),
  )
  return emails.map((emailId) => ({ teamId: team.id, emailId }))
}

describe("emails' events", () => {
  it("show the email as the API does, in the status right after each event", async () => {
    const { team, work, carried } = await setUp()
    const receiver = internet.receiver()
    const types = ["email.sent", "email.bounced", "email.complained", "email.opened"]
    await subscribe(team, receiver.url, types)
    const [ref = never()] = await accept(team, work)
    const now = work.now()
    const bounce = { bounceType: "Permanent" as const, recipients: ["b@example.com"] }
    const events = [
      reportOf(ref, "complained", now + 3, { complaintFeedbackType: "abuse" }),
      reportOf(ref, "sent", now),
      reportOf(ref, "delivered", now + 1),
      reportOf(ref, "bounced", now + 2, bounce),
      reportOf(ref, "opened", now + 4, { userAgent: "x" }),
      reportOf(ref, "cancelled", now + 5),
    ]
    await recordEvents(work, events)
    await recordEvents(work, events)
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    const bodies = receiver.received().map(({ body }) => JSON.parse(body))
    const byType = Object.fromEntries(bodies.map((body) => [body.type, body]))
    expect(bodies).toHaveLength(4)
    expect(Object.keys(byType).sort()).toEqual(types.toSorted())
    const { body: email } = await team.api.get(`/emails/${ref.emailId}`)
    const { events: timeline, ...current } = email
    expect(current.from).toBe(`"Doe, Jo" <a@${team.domain}>`)
    expect(byType["email.sent"].data).toEqual({
      email: { ...current, status: "sent" },
      event: { type: "sent", occurredAt: new Date(now).toISOString() },
    })
    expect(byType["email.bounced"].data).toEqual({
      email: { ...current, status: "bounced" },
      event: { type: "bounced", occurredAt: new Date(now + 2).toISOString(), ...bounce },
    })
    expect(byType["email.complained"].data.email).toEqual({ ...current, status: "complained" })
    expect(byType["email.opened"].data.email).toEqual(current)
    const entries = new Map(
      timeline.map((entry: { id: string; type: string }) => [entry.type, entry.id]),
    )
    for (const body of bodies) expect(entries.get(body.type.slice("email.".length))).toBe(body.id)
  })

  it("keep their payload when the email changes later", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver(() => new Response(null, { status: 500 }))
    await subscribe(team, receiver.url, ["email.sent"])
    const [ref = never()] = await accept(team, work)
    await recordEvents(work, [reportOf(ref, "sent", work.now())])
    const refs = (await carried()).map(({ ref }) => ref)
    await dispatch(work, refs)
    await recordEvents(work, [reportOf(ref, "bounced", work.now() + 1)])
    clock.advance(MINUTE)
    await dispatch(work, refs)
    const [first, second] = receiver.received()
    expect(second?.body).toBe(first?.body)
    expect(JSON.parse(second?.body ?? "").data.email.status).toBe("sent")
  })

  it("cost a team without webhooks two rows for each outcome, and a few for counters", async () => {
    const { team, work } = await setUp()
    const refs = await accept(team, work, 100)
    const events = refs.map((ref) => reportOf(ref, "delivered", work.now()))
    const meter = await metered(() => recordEvents(work, events))
    expect(meter.roundTrips).toBe(1)
    expect(meter.rowsWritten).toBeLessThanOrEqual(205)
    const stored = await env.DB.prepare("select count(*) as n from events where team_id = ?")
      .bind(team.id)
      .first<number>("n")
    expect(stored).toBe(0)
  })

  it("of 100 outcomes for 50 webhooks are recorded in one round trip", async () => {
    const { team, work, carried } = await setUp()
    const { url } = internet.receiver()
    for (let i = 0; i < 50; i++) await subscribe(team, url, ["email.delivered"])
    const refs = await accept(team, work, 100)
    const events = refs.map((ref) => reportOf(ref, "delivered", work.now()))
    const meter = await metered(() => recordEvents(work, events))
    expect(meter.roundTrips).toBe(1)
    const made = (await carried()).map(({ ref }) => ref)
    expect(made).toHaveLength(5_000)
    expect(new Set(made.map(({ id }) => id)).size).toBe(5_000)
  })

  it.each([
    [1, 4],
    [25, 3 * 25],
  ])(
    "%i attempts that succeed together cost two round trips and up to %i rows",
    async (count, rows) => {
      const { team, work, carried } = await setUp()
      await subscribe(team, internet.receiver().url)
      await happen(work, ...Array.from({ length: count }, () => domainEvent(work, team)))
      const refs = (await carried()).map(({ ref }) => ref)
      const meter = await metered(() => dispatch(work, refs))
      expect(meter.roundTrips).toBe(2)
      expect(meter.rowsWritten).toBeLessThanOrEqual(rows)
    },
  )
})

describe("a queue that is down", () => {
  it("does not stop changes from reaching the stream", async () => {
    const told: string[] = []
    const down = { sendBatch: () => Promise.reject(new Error("The queue is down")) }
    const stream = {
      getByName: () => ({
        announce: async (announcements: Announcement[]) =>
          told.push(...announcements.flatMap(({ changes }) => changes.map(({ id }) => id))),
      }),
    }
    const settings = { TEAM_STREAM: stream as unknown as Env["TEAM_STREAM"] }
    const { team, clock, work, carried } = await setUp(settings)
    const cut = { ...work, env: { ...work.env, DELIVERIES: down as unknown as Queue } }
    const receiver = internet.receiver(() => new Response(null, { status: 500 }))
    const { id } = await subscribe(team, receiver.url, ["domain.verified", "email.delivered"])
    const [ref = never()] = await accept(team, work)
    await expect(recordEvents(cut, [reportOf(ref, "delivered", work.now())])).rejects.toThrow(
      "The queue is down",
    )
    expect(told).toEqual([ref.emailId])
    clock.advance(MINUTE)
    await happen(work, domainEvent(work, team))
    const refs = (await carried()).map(({ ref }) => ref)
    await expect(dispatch(cut, refs)).rejects.toThrow("The queue is down")
    expect(told).toEqual([ref.emailId, id])
  })
})

describe("catching up", () => {
  const readAll = async ({ api }: Team) => {
    const all: { sequence: number; id: string }[] = []
    for (let after = 0; ; ) {
      const { body } = await api.get(`/events?after=${after}&limit=10`)
      if (body.data.length === 0) {
        expect(body.nextAfter).toBe(after)
        return all
      }
      all.push(...body.data)
      after = body.nextAfter
    }
  }

  it("begins anew where a restore has given numbers back", async () => {
    const { team, work } = await setUp()
    await happen(work, domainEvent(work, team))
    expect((await team.api.get("/events?after=40")).body).toEqual({
      data: [],
      nextAfter: 0,
      reset: true,
    })
  })

  it("the events of a team are numbered without a gap, also when 20 batches run at once", async () => {
    const { team, work } = await setUp()
    await happen(work, domainEvent(work, team))
    await subscribe(team, internet.receiver().url)
    const batches = Array.from({ length: 20 }, () => [
      domainEvent(work, team),
      domainEvent(work, team),
    ])
    await Promise.all(batches.map((events) => happen(work, ...events)))
    await Promise.all(batches.map((events) => happen(work, ...events)))
    const all = await readAll(team)
    expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
    expect(all.map(({ id }) => id).toSorted()).toEqual(
      batches
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    )
    expect(await readAll(await makeTeam())).toEqual([])
  })

  it("a page costs one round trip and the rows that it shows", async () => {
    const { team, work, dashboard } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    await happen(work, ...Array.from({ length: 300 }, () => domainEvent(work, team)))
    const first = (await dashboard("GET", `/webhooks/${id}/deliveries`)).body
    const deliveries = `/webhooks/${id}/deliveries?cursor=${first.nextCursor}`
    const reads: [() => Promise<unknown>, rows: number][] = [
      [() => team.api.get("/events?after=200"), 35],
      [() => team.api.get("/webhooks"), 35],
      // A delivery is shown with its event.
      [() => dashboard("GET", deliveries), 62],
      [() => dashboard("GET", `/deliveries/${first.data[0].id}`), 35],
    ]
    for (const [read, rows] of reads) {
      const meter = await metered(read)
      expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
      expect(meter.rowsRead).toBeLessThanOrEqual(rows)
    }
  })

  it("events are stored while a team has a webhook, enabled or not", async () => {
    const { team, work, carried } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    await team.api.patch(`/webhooks/${id}`, { enabled: false })
    await happen(work, domainEvent(work, team))
    expect(await carried()).toEqual([])
    expect(await readAll(team)).toHaveLength(1)
    await team.api.delete(`/webhooks/${id}`)
    await happen(work, domainEvent(work, team))
    await subscribe(team, internet.receiver().url)
    await happen(work, domainEvent(work, team))
    expect((await readAll(team)).map(({ sequence }) => sequence)).toEqual([1, 2])
  })

  it("the feed shows what a receiver gets, and is for full keys", async () => {
    const { team, work, carried } = await setUp()
    const receiver = internet.receiver()
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    const [{ sequence, ...event } = never()] = (await team.api.get("/events")).body.data
    expect(event).toEqual(JSON.parse(receiver.received()[0]?.body ?? ""))
    expect(sequence).toBe(1)
    expect((await team.sendingOnly.get("/events")).status).toBe(403)
    for (const wrong of ["after=-1", "after=x", "limit=0", "limit=101"]) {
      expect((await team.api.get(`/events?${wrong}`)).status).toBe(400)
    }
  })

  it("after a week down and a backfill, a receiver holds the same events as the other", async () => {
    const { team, clock, work, carried } = await setUp()
    const down = { status: 200 }
    const steady = internet.receiver()
    const shaky = internet.receiver(() => new Response(null, down))
    const { id } = await subscribe(team, shaky.url)
    await subscribe(team, steady.url)
    const held = { shaky: new Set<string>(), steady: new Set<string>() }
    const waiting: { at: number; ref: DeliveryRef }[] = []
    const run = async () => {
      waiting.push(
        ...(await carried()).map(({ ref, delaySeconds }) => ({
          ref,
          at: work.now() + delaySeconds * 1000,
        })),
      )
      const due = waiting.filter(({ at }) => at <= work.now())
      for (const one of due) waiting.splice(waiting.indexOf(one), 1)
      if (due.length > 0)
        await dispatch(
          work,
          due.map(({ ref }) => ref),
        )
      await sweepFailingWebhooks(work)
      for (const { headers } of steady.received())
        held.steady.add(headers.get("svc-event-id") ?? "")
      if (down.status === 200) {
        for (const { headers } of shaky.received().slice(seen))
          held.shaky.add(headers.get("svc-event-id") ?? "")
      }
      seen = shaky.received().length
    }
    let seen = 0
    await happen(work, domainEvent(work, team))
    await run()
    down.status = 503
    for (let hours = 0; hours < 7 * 24; hours += 4) {
      await happen(
        work,
        domainEvent(work, team),
        domainEvent(work, team, { type: "domain.failed" }),
      )
      await run()
      clock.advance(4 * HOUR)
    }
    expect((await team.api.get(`/webhooks/${id}`)).body.enabled).toBe(false)
    down.status = 200
    await team.api.patch(`/webhooks/${id}`, { enabled: true })
    await endRest(id)
    await happen(work, domainEvent(work, team))
    await run()
    const { status, body } = await team.api.post(`/webhooks/${id}/backfill`, { after: 1 })
    expect(status).toBe(202)
    expect(body).toEqual({ queued: 42, nextAfter: null })
    const again = () => shaky.received().slice(seen)
    const ids = () => new Set(again().map(({ headers }) => headers.get("svc-event-id")))
    await eventually(() => expect(ids().size).toBe(42))
    await run()
    expect(held.steady.size).toBe(44)
    expect(held.shaky).toEqual(held.steady)
    expect((await team.api.post(`/webhooks/${id}/backfill`, { after: 0 })).body.queued).toBe(0)
  })

  it("a backfill reads a bounded number of events a call", async () => {
    const { team, work, carried } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    const EVENTS = 30_000
    const step = 10
    await env.DB.batch([
      env.DB.prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${EVENTS})
         insert into events (team_id, sequence, id, type, data, created_at)
         select ?1, i, 'evt_' || ?1 || i, iif(i % 10000 = 0, 'domain.verified', 'contact.created'),
           '{}', ?2 + i * ${step} from n`,
      ).bind(team.id, work.now() - EVENTS * step),
      env.DB.prepare("update event_sequences set last = ? where team_id = ?").bind(EVENTS, team.id),
      env.DB.prepare("update webhooks set deliver_until = null where id = ?").bind(id),
      // It has had each of them, as other types that it subscribed to then.
      env.DB.prepare(
        `insert into deliveries (team_id, webhook_id, id, sequence, event_id, event_type, state,
           not_before, created_at)
         select team_id, ?2, printf('whd_%026d', sequence), sequence, id, type, 'failed', 0, 0
         from events where team_id = ?1`,
      ).bind(team.id, id),
    ])
    const queued: number[] = []
    for (let after: number | null = 0; after !== null; ) {
      const at: number = after
      const meter = await metered(async () => {
        const { body } = await team.api.post(`/webhooks/${id}/backfill`, { after: at })
        queued.push(body.queued)
        after = body.nextAfter
      })
      expect(meter.rowsRead).toBeLessThanOrEqual(20_000)
    }
    expect(queued).toHaveLength(EVENTS / 5_000 + 1)
    expect(queued.reduce((sum, one) => sum + one)).toBe(3)
    await carried()
  })

  it("events and deliveries are purged after 30 days, and the sequence goes on", async () => {
    const { team, clock, work, carried, dashboard } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    await happen(work, domainEvent(work, team))
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    clock.advance(30 * DAY - MINUTE)
    await purgeEvents(work)
    expect(await readAll(team)).toHaveLength(1)
    clock.advance(2 * MINUTE)
    await purgeEvents(work)
    expect(await readAll(team)).toEqual([])
    expect((await dashboard("GET", `/webhooks/${id}/deliveries`)).body.data).toEqual([])
    await happen(work, domainEvent(work, team))
    expect((await readAll(team)).map(({ sequence }) => sequence)).toEqual([2])
  })

  it("a replay disappears with its event", async () => {
    const { team, clock, work, carried, dashboard } = await setUp()
    const receiver = internet.receiver()
    const { id } = await subscribe(team, receiver.url)
    const createdAt = clock.now() - 31 * DAY
    const old = derivedId("event", createdAt, team.id)
    const young = domainEvent(work, team)
    await happen(work, domainEvent(work, team, { id: old, createdAt }), young)
    const refs = (await carried()).map(({ ref }) => ref)
    await dispatch(work, refs)
    await purgeEvents(work)
    const { body } = await dashboard("GET", `/webhooks/${id}/deliveries`)
    expect(body.data.map(({ eventId }: { eventId: string }) => eventId)).toEqual([young.id])
    const statuses = await Promise.all(
      refs.map(async (ref) => [
        (await dashboard("GET", `/deliveries/${ref.id}`)).status,
        (await dashboard("POST", `/deliveries/${ref.id}/replay`)).status,
      ]),
    )
    expect(statuses.toSorted()).toEqual([
      [200, 202],
      [404, 404],
    ])
    await eventually(() => expect(receiver.received()).toHaveLength(3))
  })
})
