import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { firstIdAt } from "../../../src/lib/id.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { purgeEvents } from "../../../src/worker/webhooks/events/purge.ts"
import { EVENT_TYPES } from "../../../src/worker/webhooks/events/types.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { acceptForLater } from "../../support/mail.ts"
import { metered } from "../../support/meter.ts"
import type { Team } from "../../support/team.ts"
import { DAY, dispatch, domainEvent, HOUR, happen, never, setUp, subscribe } from "./carrying.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

/** Many events with a delivery each, newest last, one a second. */
async function fill(team: Team, webhookId: string, count: number, state: string, until: number) {
  const start = until - count * 1_000
  await env.DB.batch([
    env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
       insert into events (team_id, sequence, id, type, data, created_at)
       select ?1, i, ?3 || printf('%016d', i), 'domain.verified', '{}', ?4 + i * 1000 from n`,
    ).bind(team.id, count, firstIdAt("event", until).slice(0, -16), start),
    env.DB.prepare(
      `insert into deliveries (team_id, webhook_id, id, sequence, event_id, event_type, state,
         not_before, created_at)
       select team_id, ?2, ?3 || printf('%016d', sequence), sequence, id, type, ?4, 0, created_at
       from events where team_id = ?1`,
    ).bind(team.id, webhookId, firstIdAt("delivery", start).slice(0, -16), state),
    env.DB.prepare("update event_sequences set last = ? where team_id = ?").bind(count, team.id),
  ])
}

describe("a delivery's request", () => {
  it("is what the receiver got, without the signatures", async () => {
    const { team, clock, work, carried, dashboard } = await setUp()
    const receiver = internet.receiver(() => {
      clock.advance(900)
      return new Response("no", { status: 500 })
    })
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])
    clock.advance(HOUR)
    await dispatch(work, [ref])
    const { body } = await dashboard("GET", `/deliveries/${ref.id}/request`)
    const received = receiver.received()
    expect(received).toHaveLength(2)
    expect(body.url).toBe(receiver.url)
    expect(body.body).toBe(received[1]?.body)
    expect(body.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2])
    for (const [index, { headers }] of received.entries()) {
      const shown: Record<string, string> = body.attempts[index].headers
      expect(shown).toMatchObject({ "webhook-id": expect.any(String) })
      for (const [name, value] of Object.entries(shown)) expect(headers.get(name)).toBe(value)
      expect(Object.keys(shown).filter((name) => name.includes("signature"))).toEqual([])
    }
    expect((await dashboard("GET", "/deliveries/whd_nope/request")).status).toBe(404)
  })

  it("is read in one round trip", async () => {
    const { team, work, carried, dashboard } = await setUp()
    await subscribe(team, internet.receiver().url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    const meter = await metered(() => dashboard("GET", `/deliveries/${ref.id}/request`))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
  })
})

describe("a webhook's deliveries", () => {
  it("name the address or the domain that they are about, in one round trip", async () => {
    const { team, work, dashboard } = await setUp()
    const events = ["email.delivered", "contact.created", "email.received", "sequence.started"]
    const { id } = await subscribe(team, internet.receiver().url, events)
    const emailId = await acceptForLater(team)
    await recordEvents(work, [
      reportOf({ teamId: team.id, emailId }, "delivered", work.now() - HOUR),
    ])
    const { body: book } = await team.api.post("/contact-books", { name: "News" })
    await team.api.post(`/contact-books/${book.id}/contacts`, { email: "grace@example.com" })
    await team.api.post(`/webhooks/${id}/test`)
    const read = () => dashboard("GET", `/webhooks/${id}/deliveries`)
    const { body } = await read()
    const [{ to }] = (await team.api.get(`/emails?limit=1`)).body.data
    expect(body.data.map(({ about }: { about: string }) => about)).toEqual([
      null,
      "grace@example.com",
      to[0],
    ])
    const meter = await metered(read)
    for (const type of ["email.received", "sequence.started"]) {
      await dashboard("POST", `/webhooks/${id}/test-event`, { type })
      expect((await read()).body.data[0].about).toEqual(expect.any(String))
    }
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(20)
  })
})

describe("deliveries by their ids", () => {
  it("are those of the webhook as its list has them, in one round trip", async () => {
    const { team, dashboard } = await setUp()
    const [own, other] = [
      (await subscribe(team, internet.receiver().url)).id,
      (await subscribe(team, internet.receiver().url)).id,
    ]
    const made = async (id: string) => (await team.api.post(`/webhooks/${id}/test`)).body.deliveryId
    const [first, second, foreign] = [await made(own), await made(own), await made(other)]
    const read = () =>
      dashboard("GET", `/webhooks/${own}/delivery-rows?ids=${first},${second},${foreign},whd_nope`)
    const { body: list } = await dashboard("GET", `/webhooks/${own}/deliveries`)
    expect((await read()).body.data).toEqual(list.data)
    expect(list.data).toHaveLength(2)
    expect(await metered(read)).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
  })
})

describe("deliveries of one state", () => {
  /** A webhook whose deliveries succeeded, apart from those of these sequences. */
  async function filled(count: number, states: Record<string, number[]>) {
    const set = await setUp()
    const { id } = await subscribe(set.team, internet.receiver().url)
    await fill(set.team, id, count, "succeeded", set.clock.now())
    for (const [state, sequences] of Object.entries(states)) {
      await env.DB.prepare(
        `update deliveries set state = ?1, due_at = iif(?1 = 'pending', not_before, null)
         where webhook_id = ?2 and sequence in (select value from json_each(?3))`,
      )
        .bind(state, id, JSON.stringify(sequences))
        .run()
    }
    const read = (query: string) => set.dashboard("GET", `/webhooks/${id}/deliveries?${query}`)
    return { ...set, id, read, walk: walkOf(read) }
  }

  /** The sequences and states of every page. */
  const walkOf = (read: (query: string) => Promise<{ body: Listed }>) => async (query: string) => {
    const found: [number, string][] = []
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await read(`${query}${cursor && `&cursor=${cursor}`}`)
      found.push(...body.data.map(({ id, state }) => [Number(id.slice(-16)), state] as never))
      cursor = body.nextCursor
    }
    return found
  }
  interface Listed {
    data: { id: string; state: string }[]
    nextCursor: string | null
  }

  it("are listed newest first; failed ones with those given up", async () => {
    const { read, walk } = await filled(30, { failed: [3, 20], exhausted: [7, 8], pending: [9] })
    for (const limit of ["limit=1", "limit=2", "limit=25"]) {
      expect(await walk(`state=failed&${limit}`)).toEqual([
        [20, "failed"],
        [8, "exhausted"],
        [7, "exhausted"],
        [3, "failed"],
      ])
      expect(await walk(`state=exhausted&${limit}`)).toEqual([
        [8, "exhausted"],
        [7, "exhausted"],
      ])
      expect(await walk(`state=pending&${limit}`)).toEqual([[9, "pending"]])
    }
    expect(await walk("state=succeeded&limit=10")).toHaveLength(25)
    expect((await read("state=delivered")).status).toBe(400)
  })

  it("of a disabled webhook have failed, also those that the sweep has not failed yet", async () => {
    const { id, clock, walk } = await filled(30, { failed: [3], exhausted: [7], pending: [9, 20] })
    await env.DB.prepare("update webhooks set enabled = 0, dropped_at = ? where id = ?")
      .bind(clock.now(), id)
      .run()
    for (const limit of ["limit=1", "limit=25"]) {
      expect(await walk(`state=failed&${limit}`)).toEqual([
        [20, "failed"],
        [9, "failed"],
        [7, "exhausted"],
        [3, "failed"],
      ])
      expect(await walk(`state=exhausted&${limit}`)).toEqual([[7, "exhausted"]])
      expect(await walk(`state=pending&${limit}`)).toEqual([])
    }
  })

  it("cost a page's rows among thousands if they failed, and are looked for in 1,000 otherwise", async () => {
    const failed = Array.from({ length: 40 }, (_, index) => index + 1)
    const { walk, read } = await filled(5_000, { failed, pending: [50, 4_500] })
    const cost = async (query: string) => {
      const meter = await metered(() => read(query))
      expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
      return meter.rowsRead
    }
    expect(await cost("state=failed&limit=25")).toBeLessThanOrEqual(160)
    expect(await cost("state=succeeded&limit=25")).toBeLessThanOrEqual(160)
    expect(await cost("state=pending&limit=25")).toBeLessThanOrEqual(3_100)
    expect(await walk("state=failed&limit=25")).toHaveLength(40)
    expect(await walk("state=pending&limit=25")).toHaveLength(2)
  })
})

describe("what webhooks were told of an email", () => {
  it("is listed newest first, with the webhook's URL, in one round trip", async () => {
    const { team, clock, work, dashboard } = await setUp()
    const [a, b] = [internet.receiver().url, internet.receiver().url]
    const { id } = await subscribe(team, a, ["email.delivered", "email.opened"])
    await fill(team, id, 3_000, "succeeded", work.now() - DAY)
    await subscribe(team, b, ["email.opened"])
    const [email, other] = [await acceptForLater(team), await acceptForLater(team)]
    const report = (emailId: string, type: "delivered" | "opened") =>
      recordEvents(work, [reportOf({ teamId: team.id, emailId }, type, work.now() - HOUR)])
    await report(email, "delivered")
    await report(other, "delivered")
    clock.advance(2_000)
    await report(email, "opened")
    const read = () => dashboard("GET", `/emails/${email}/deliveries`)
    const { body } = await read()
    const told = body.data.map((one: { eventType: string; url: string }) => [
      one.eventType,
      one.url,
    ])
    expect(told.slice(0, 2).sort()).toEqual(
      [
        ["email.opened", a],
        ["email.opened", b],
      ].sort(),
    )
    expect(told.slice(2)).toEqual([["email.delivered", a]])
    const meter = await metered(read)
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(35)
    clock.advance(HOUR)
    await dashboard("POST", `/deliveries/${body.data[2].id}/replay`)
    expect((await read()).body.data).toHaveLength(4)
    expect((await dashboard("GET", "/emails/em_nope/deliveries")).status).toBe(404)
  })
})

describe("the health of webhooks", () => {
  it.each([1, 2, 3, 7])("is read of %i webhooks", async (count) => {
    const { team, dashboard } = await setUp()
    for (let i = 0; i < count; i++) await subscribe(team, internet.receiver().url)
    const { status, body } = await dashboard("GET", "/webhook-health")
    expect([status, body.data.length]).toEqual([200, count])
  })

  it("counts what ended in 24 hours and what is pending, and names the last failure", async () => {
    const { team, clock, work, carried, dashboard } = await setUp()
    let status = 200
    const shaky = await subscribe(team, internet.receiver(() => new Response("no", { status })).url)
    const quiet = await subscribe(team, internet.receiver().url, ["campaign.sent"])
    const deliver = async (count = 1) => {
      await happen(work, ...Array.from({ length: count }, () => domainEvent(work, team)))
      const refs = (await carried()).map(({ ref }) => ref)
      await dispatch(work, refs)
      await carried()
      return refs
    }
    clock.advance(-2 * DAY)
    await deliver()
    clock.advance(2 * DAY)
    await deliver(3)
    clock.advance(-HOUR)
    await deliver()
    clock.advance(HOUR)
    status = 503
    const [failed = never()] = await deliver()
    const at = work.now()
    await happen(work, domainEvent(work, team))
    const none = { succeeded: 0, failed: 0, pending: 0, lastFailure: null, probeAt: null }
    const { body } = await dashboard("GET", "/webhook-health")
    expect(body.data).toEqual([
      { webhookId: quiet.id, ...none, since: expect.any(String) },
      {
        webhookId: shaky.id,
        succeeded: 4,
        failed: 0,
        pending: 2,
        since: expect.any(String),
        probeAt: null,
        lastFailure: {
          deliveryId: failed.id,
          at: new Date(at).toISOString(),
          statusCode: 503,
          error: null,
        },
      },
    ])
  })

  it("counts a delivery as failed once it is given up", async () => {
    const { team, clock, work, carried, dashboard } = await setUp()
    await subscribe(team, internet.receiver(() => new Response("no", { status: 503 })).url)
    await happen(work, domainEvent(work, team))
    const refs = (await carried()).map(({ ref }) => ref)
    const counts = async () => {
      await dispatch(work, refs)
      const { failed, pending } = (await dashboard("GET", "/webhook-health")).body.data[0]
      return { failed, pending }
    }
    expect(await counts()).toEqual({ failed: 0, pending: 1 })
    const five = Array(5).fill("json(attempts -> 0)").join()
    await env.DB.prepare(`update deliveries set attempts = json_array(${five}) where id = ?`)
      .bind(refs[0]?.id)
      .run()
    clock.advance(HOUR)
    expect(await counts()).toEqual({ failed: 1, pending: 0 })
  })

  it("counts every delivery of a busy webhook in a bounded number of rows", async () => {
    const { team, work, dashboard } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    await subscribe(team, internet.receiver().url)
    await fill(team, id, 10_000, "succeeded", work.now())
    const hour = work.now() - (work.now() % HOUR)
    for (let at = 0; at < 40; at++) {
      await env.DB.prepare("insert into webhook_hours values (?, ?, ?, 1000, 1)")
        .bind(team.id, hour - at * HOUR, id)
        .run()
    }
    let body = { data: [] as { webhookId: string; succeeded: number; failed: number }[] }
    const meter = await metered(async () => {
      body = (await dashboard("GET", "/webhook-health")).body
    })
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(300)
    const health = body.data.find(({ webhookId }) => webhookId === id)
    expect(health).toMatchObject({ succeeded: 24_000, failed: 24 })
  })

  it("keeps its counts for two days", async () => {
    const { team, clock, work } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    await env.DB.prepare("insert into webhook_hours values (?, ?, ?, 1, 1)")
      .bind(team.id, work.now(), id)
      .run()
    const left = () =>
      env.DB.prepare("select count(*) as n from webhook_hours where team_id = ?")
        .bind(team.id)
        .first("n")
    clock.advance(2 * DAY)
    await purgeEvents(work)
    expect(await left()).toBe(1)
    clock.advance(1)
    await purgeEvents(work)
    expect(await left()).toBe(0)
  })
})

describe("a replay of what failed", () => {
  it("queues each failed event once, in as many calls as it takes", async () => {
    const { team, work, carried, dashboard } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    await fill(team, id, 6_500, "exhausted", work.now())
    await env.DB.prepare(
      "update deliveries set state = 'succeeded' where webhook_id = ? and sequence > 1500",
    )
      .bind(id)
      .run()
    const queued: number[] = []
    let cursor: string | null | undefined
    while (cursor !== null) {
      const input = cursor === undefined ? {} : { cursor }
      const meter = await metered(async () => {
        const { status, body } = await dashboard("POST", `/webhooks/${id}/replay-failed`, input)
        expect(status).toBe(202)
        queued.push(body.queued)
        cursor = body.nextCursor
      })
      expect(meter.rowsRead).toBeLessThanOrEqual(25_000)
    }
    expect(queued).toEqual([1_000, 500, 0])
    await carried()
    const again = await dashboard("POST", `/webhooks/${id}/replay-failed`)
    expect(again.body.queued).toBe(0)
  })

  it("begins at a time, and leaves out tests and events that were replayed before", async () => {
    const { team, clock, work, carried, dashboard } = await setUp()
    const receiver = internet.receiver()
    const { id } = await subscribe(team, receiver.url)
    const happened = async () => {
      clock.advance(1_000)
      await happen(work, domainEvent(work, team))
      const made = (await carried()).at(-1)?.ref ?? never()
      await dispatch(work, [made])
      return made
    }
    const early = await happened()
    clock.advance(HOUR)
    const since = new Date(work.now()).toISOString()
    const replayed = await happened()
    const late = await happened()
    await team.api.post(`/webhooks/${id}/test`)
    await env.DB.prepare("update deliveries set state = 'failed' where webhook_id = ?")
      .bind(id)
      .run()
    await dashboard("POST", `/deliveries/${replayed.id}/replay`)
    const { body } = await dashboard("POST", `/webhooks/${id}/replay-failed`, { since })
    expect(body).toEqual({ queued: 1, nextCursor: null })
    const { results } = await env.DB.prepare(
      "select event_id from deliveries where webhook_id = ? and repeats = 1 order by id",
    )
      .bind(id)
      .all<{ event_id: string }>()
    const eventOf = async (delivery: string) =>
      (await dashboard("GET", `/deliveries/${delivery}`)).body.eventId
    expect(new Set(results.map((row) => row.event_id))).toEqual(
      new Set([await eventOf(replayed.id), await eventOf(late.id)]),
    )
    expect(results).not.toContainEqual({ event_id: await eventOf(early.id) })
    await team.api.patch(`/webhooks/${id}`, { enabled: false })
    expect((await dashboard("POST", `/webhooks/${id}/replay-failed`)).status).toBe(409)
    expect((await dashboard("POST", "/webhooks/wh_nope/replay-failed")).status).toBe(404)
  })
})

describe("the number of the last event before a time", () => {
  it("is found in one round trip and few rows", async () => {
    const { team, work, dashboard } = await setUp()
    const empty = await dashboard("GET", `/event-position?at=${new Date(0).toISOString()}`)
    expect(empty.body).toEqual({ after: 0 })
    const { id } = await subscribe(team, internet.receiver().url)
    const until = work.now()
    await fill(team, id, 1_000, "succeeded", until)
    await env.DB.prepare("delete from events where team_id = ? and sequence <= 200")
      .bind(team.id)
      .run()
    const positionAt = async (at: number) => {
      const { body } = await dashboard("GET", `/event-position?at=${new Date(at).toISOString()}`)
      return body.after
    }
    expect(await positionAt(until - 3_000)).toBe(996)
    expect(await positionAt(until - 2_999)).toBe(997)
    expect(await positionAt(0)).toBe(200)
    expect(await positionAt(until + 1)).toBe(1_000)
    expect((await dashboard("GET", "/event-position")).body).toEqual({ after: 1_000 })
    const meter = await metered(() => positionAt(until - 500_000))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(80)
  })
})

describe("a test event of a type", () => {
  it.each(EVENT_TYPES)("is shaped as a real %s", async (type) => {
    const { team, dashboard } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    const sent = await dashboard("POST", `/webhooks/${id}/test-event`, { type })
    expect(sent.status, JSON.stringify(sent.body)).toBe(202)
    const { status, body } = await dashboard("GET", `/deliveries/${sent.body.deliveryId}`)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.payload).toMatchObject({ type, id: expect.stringMatching(/^evt_/) })
    const [noun = "", verb] = type.split(".")
    const isReceived = type === "email.received"
    expect(body.payload.data[isReceived ? "received" : noun].id).toBeDefined()
    if (noun === "email" && !isReceived) expect(body.payload.data.event.type).toBe(verb)
    if (verb === "pending" || verb === "confirmed") {
      const isConfirmed = verb === "confirmed"
      expect(body.payload.data.contact).toMatchObject({
        subscribed: isConfirmed,
        confirmation: verb,
      })
    }
    const feed = await team.api.get("/events?after=0")
    expect(feed.status, JSON.stringify(feed.body)).toBe(200)
  })
})
