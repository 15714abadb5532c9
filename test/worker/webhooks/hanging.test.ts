import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { SLOW_MS } from "../../../src/worker/webhooks/deliveries/attempt.ts"
import { dispatchDeliveries } from "../../../src/worker/webhooks/deliveries/dispatch.ts"
import { sweepDeliveries } from "../../../src/worker/webhooks/deliveries/sweep.ts"
import { eventually } from "../../support/eventually.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam } from "../../support/team.ts"
import {
  dispatch,
  domainEvent,
  endRest,
  happen,
  MINUTE,
  never,
  rowOf,
  setUp,
  subscribe,
  subscribeNew,
} from "./carrying.ts"

/** As in wrangler.toml. */
const BATCH = 5
/** A consumer makes so many attempts at a time. */
const AT_ONCE = 5

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

const timeout = () => new DOMException("timed out", "TimeoutError")

const restsUntil = (id: string) =>
  env.DB.prepare("select probe_at from webhooks where id = ?").bind(id).first<number>("probe_at")

describe("receivers that hang", () => {
  it("ten of them do not hold another team's delivery up, one batch at a time", async () => {
    const { team, work, sent } = await setUp()
    const hanging = Promise.withResolvers<Response>()
    const other = await makeTeam()
    const healthy = internet.receiver()
    await subscribe(other, healthy.url)
    const hung = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const receiver = internet.receiver(() => hanging.promise)
        return { receiver, ...(await subscribe(team, receiver.url)) }
      }),
    )
    for (let i = 0; i < 5; i++) await happen(work, domainEvent(work, team))
    await happen(work, domainEvent(work, other))
    const deferred: Promise<unknown>[] = []
    while (healthy.received().length === 0) {
      const refs = sent
        .splice(0, BATCH)
        .flatMap(({ message }) => ("webhooks" in message ? message.webhooks : []))
      await dispatchDeliveries({ ...work, defer: (later) => deferred.push(later) }, refs)
    }
    for (const { receiver } of hung) expect(receiver.received()).toHaveLength(1)
    await eventually(async () => {
      for (const { id } of hung) expect(await restsUntil(id)).not.toBeNull()
    })
    hanging.reject(timeout())
    await Promise.all(deferred)
    for (const { receiver } of hung) expect(receiver.received()).toHaveLength(1)
  })

  it("cost a few rows, whatever the number of waiting deliveries", async () => {
    const { team, work, carried, hints } = await setUp()
    const receiver = internet.receiver(() => Promise.reject(timeout()))
    const { id } = await subscribe(team, receiver.url)
    await happen(work, ...Array.from({ length: 376 }, () => domainEvent(work, team)))
    const refs = (await carried()).map(({ ref }) => ref)
    const first = await metered(() => dispatch(work, refs))
    expect(first.rowsWritten).toBeLessThanOrEqual(80)
    expect(receiver.received()).toHaveLength(AT_ONCE)
    const rest = await metered(() => dispatch(work, refs))
    expect(rest).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(await restsUntil(id)).toBe(work.now() + MINUTE)
    expect(hints()).toEqual([{ ref: { teamId: team.id, webhookId: id }, delaySeconds: 60 }])
    await happen(work, domainEvent(work, team))
    expect(hints()).toEqual([])
  })

  it("rest for a minute, then get one delivery at a time until a quick answer", async () => {
    const { team, clock, work, carried, hints } = await setUp()
    const answers: Error[] = Array.from({ length: AT_ONCE + 1 }, timeout)
    const receiver = internet.receiver(() => {
      const error = answers.shift()
      return error ? Promise.reject(error) : new Response("ok")
    })
    const { id } = await subscribe(team, receiver.url)
    await happen(work, ...Array.from({ length: 30 }, () => domainEvent(work, team)))
    const refs = (await carried()).map(({ ref }) => ref)
    const webhook = { teamId: team.id, webhookId: id }
    await dispatch(work, refs)
    expect(hints()).toEqual([{ ref: webhook, delaySeconds: 60 }])

    clock.advance(MINUTE - 1)
    await dispatch(work, [webhook])
    await sweepDeliveries(work)
    expect(receiver.received()).toHaveLength(AT_ONCE)
    expect(hints().filter(({ ref }) => ref.webhookId === id)).toEqual([])

    clock.advance(1)
    await sweepDeliveries(work)
    expect(hints().filter(({ ref }) => ref.webhookId === id)).toHaveLength(1)
    await Promise.all([1, 2, 3].map(() => dispatch(work, [webhook])))
    expect(receiver.received()).toHaveLength(AT_ONCE + 1)

    clock.advance(MINUTE)
    await dispatch(work, [webhook])
    expect(receiver.received()).toHaveLength(AT_ONCE + 2)
    expect(await restsUntil(id)).toBeNull()
    const woken = (await carried()).map(({ ref }) => ref)
    expect(new Set(woken.map(({ id }) => id)).size).toBe(29)
    clock.advance(5 * MINUTE)
    await dispatch(work, woken)
    await dispatch(work, woken)
    const rows = await Promise.all(refs.map(rowOf))
    expect(new Set(rows.map((row) => row?.state))).toEqual(new Set(["succeeded"]))
  })

  it("cost a few read rows a probe, whatever the number of waiting deliveries", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver(() => Promise.reject(timeout()))
    const { id } = await subscribe(team, receiver.url)
    await happen(work, ...Array.from({ length: 1_000 }, () => domainEvent(work, team)))
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    clock.advance(MINUTE)
    const meter = await metered(() => dispatch(work, [{ teamId: team.id, webhookId: id }]))
    expect(receiver.received()).toHaveLength(AT_ONCE + 1)
    expect(meter.roundTrips).toBe(2)
    expect(meter.rowsRead).toBeLessThanOrEqual(60)
    expect(meter.rowsWritten).toBeLessThanOrEqual(12)
    const resting = await metered(() => dispatch(work, [{ teamId: team.id, webhookId: id }]))
    expect(resting.rowsRead).toBeLessThanOrEqual(10)
    expect(resting.rowsWritten).toBe(0)
  })

  it("get their only delivery at the times of its schedule", async () => {
    const { team, clock, work, carried, hints } = await setUp()
    const receiver = internet.receiver(() => Promise.reject(timeout()))
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    const start = work.now()
    const nextHints = () => hints().map(({ delaySeconds }) => work.now() + delaySeconds * 1_000)
    await dispatch(work, [ref])
    for (let times = nextHints(); times.length > 0; times.push(...nextHints())) {
      times.sort((a, b) => b - a)
      clock.advance((times.pop() ?? 0) - work.now())
      await dispatch(work, [ref])
    }
    const row = await rowOf(ref)
    const minutes = row?.attempts.map(({ startedAt }) => (Number(startedAt) - start) / MINUTE)
    expect(minutes).toEqual([0, 1, 6, 36, 156, 636])
    expect(row).toMatchObject({ state: "exhausted", due_at: null })
  })

  it("get the next delivery right after a late answer, one at a time", async () => {
    const { team, clock, work, carried, hints } = await setUp()
    const receiver = internet.receiver(() => {
      clock.advance(3_000)
      return new Response("ok")
    })
    const { id } = await subscribe(team, receiver.url)
    await happen(work, ...Array.from({ length: AT_ONCE + 3 }, () => domainEvent(work, team)))
    const webhook = { teamId: team.id, webhookId: id }
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    expect(receiver.received()).toHaveLength(AT_ONCE)
    for (const made of [1, 2, 3]) {
      expect(hints()).toEqual([{ ref: webhook, delaySeconds: 0 }])
      await dispatch(work, [webhook])
      expect(receiver.received()).toHaveLength(AT_ONCE + made)
    }
  })

  it("are tried at once when the webhook is enabled or its URL changes", async () => {
    const { team, clock, work, hints } = await setUp()
    const { id } = await subscribe(team, internet.receiver(() => Promise.reject(timeout())).url)
    for (const change of [{ url: internet.receiver().url }, { enabled: true }]) {
      await env.DB.prepare("update webhooks set probe_at = ? where id = ?")
        .bind(work.now() + MINUTE, id)
        .run()
      await happen(work, domainEvent(work, team))
      expect(hints()).toEqual([])
      await team.api.patch(`/webhooks/${id}`, change)
      clock.advance(31_000)
      await happen(work, domainEvent(work, team))
      expect(hints()).toMatchObject([{ ref: { webhookId: id }, delaySeconds: 0 }])
    }
    await endRest(id)
    await team.api.patch(`/webhooks/${id}`, { enabled: true })
    expect(await restsUntil(id)).toBeNull()
  })

  it("do not count as slow for the time of the look-up and of the body", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver(() => {
      const body = new ReadableStream({ pull: () => clock.advance(SLOW_MS) }, { highWaterMark: 0 })
      return new Response(body)
    })
    const { id } = await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const now = () => {
      clock.advance(300)
      return clock.now()
    }
    await dispatch(
      { ...work, now },
      (await carried()).map(({ ref }) => ref),
    )
    expect(receiver.received()).toHaveLength(1)
    expect(await restsUntil(id)).toBeNull()
  })
})

describe("a webhook whose URL changes", () => {
  it("is probed at once with what is due", async () => {
    const { team, work, carried } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    await happen(work, domainEvent(work, team))
    const refs = (await carried()).map(({ ref }) => ref)
    const receiver = internet.receiver()
    await team.api.patch(`/webhooks/${id}`, { url: receiver.url })
    await dispatch(work, refs)
    await eventually(() => expect(receiver.received()).toHaveLength(1))
  })

  it("stays held when the old receiver answers its probe afterwards", async () => {
    const { team, work } = await setUp()
    const hanging = internet.receiver(() => Promise.reject(timeout()))
    const old = internet.receiver(async () => {
      await team.api.patch(`/webhooks/${id}`, { url: hanging.url })
      return new Response()
    })
    const { id } = await subscribeNew(team, old.url)
    await happen(work, domainEvent(work, team))
    await dispatch(work, [{ teamId: team.id, webhookId: id }])
    expect(old.received()).toHaveLength(1)
    expect(await restsUntil(id)).not.toBeNull()
  })
})

describe("a new webhook", () => {
  it("gets one delivery until its first quick answer, whatever its status", async () => {
    const { team, clock, work, carried, hints } = await setUp()
    const answers: (Response | Error)[] = [timeout(), new Response(null, { status: 500 })]
    const receiver = internet.receiver(() => {
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return answer ?? new Response()
    })
    const { id } = await subscribeNew(team, receiver.url)
    const webhook = { teamId: team.id, webhookId: id }
    for (let i = 0; i < 3; i++) {
      clock.advance(1_000)
      await happen(work, domainEvent(work, team), domainEvent(work, team))
    }
    expect(hints()).toEqual([{ ref: webhook, delaySeconds: 0 }])
    await Promise.all([1, 2].map(() => dispatch(work, [webhook])))
    expect(receiver.received()).toHaveLength(1)
    expect(hints()).toEqual([{ ref: webhook, delaySeconds: 60 }])
    clock.advance(MINUTE)
    await dispatch(work, [webhook])
    expect(receiver.received()).toHaveLength(2)
    expect(await restsUntil(id)).toBeNull()
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    expect(receiver.received().length).toBeGreaterThanOrEqual(6)
  })

  it("is probed while the clock moves", async () => {
    const { team, clock, work, hints } = await setUp()
    const receiver = internet.receiver()
    const { id } = await subscribeNew(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = hints()
    const now = () => {
      clock.advance(1)
      return clock.now()
    }
    await dispatch({ ...work, now }, [ref])
    expect(receiver.received()).toHaveLength(1)
    expect(await restsUntil(id)).toBeNull()
  })

  it("is not probed again by a hint that finds nothing", async () => {
    const { team, work, hints } = await setUp()
    const receiver = internet.receiver()
    const { id } = await subscribeNew(team, receiver.url)
    const webhook = { teamId: team.id, webhookId: id }
    await dispatch(work, [webhook])
    await happen(work, domainEvent(work, team))
    expect(hints()).toEqual([{ ref: webhook, delaySeconds: 0 }])
    await dispatch(work, [webhook])
    expect(receiver.received()).toHaveLength(1)
  })
})

describe("an answer without an end", () => {
  const endless = (piece: string) =>
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        controller.enqueue(new TextEncoder().encode(piece))
      },
    })

  it.each([
    { name: "silence", body: () => new ReadableStream<Uint8Array>(), excerpt: null },
    { name: "drops", body: () => endless("x"), excerpt: expect.stringMatching(/^x{1,12}$/) },
  ])("is a success by its status: $name", async ({ body, excerpt }) => {
    const { team, work, carried } = await setUp()
    const receiver = internet.receiver(() => new Response(body()))
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])
    expect(await rowOf(ref)).toMatchObject({
      state: "succeeded",
      attempts: [{ statusCode: 200, responseExcerpt: excerpt }],
    })
  })
})
