import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { LEASE_MS } from "../../../src/worker/webhooks/deliveries/due.ts"
import { sweepFailingWebhooks } from "../../../src/worker/webhooks/deliveries/failing.ts"
import { sweepDeliveries } from "../../../src/worker/webhooks/deliveries/sweep.ts"
import { eventually } from "../../support/eventually.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import {
  DAY,
  dispatch,
  domainEvent,
  endRest,
  HOUR,
  happen,
  isSignedBy,
  MINUTE,
  never,
  rowOf,
  setUp,
  subscribe,
} from "./carrying.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

describe("an attempt", () => {
  it("reaches a new delivery of a clock that is ahead, but no retry before its time", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver(() => new Response(null, { status: 500 }))
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    clock.advance(-2_000)
    await dispatch(work, [ref])
    expect(receiver.received()).toHaveLength(1)
    clock.advance(MINUTE - 1_000)
    await dispatch(work, [ref])
    expect(receiver.received()).toHaveLength(1)
  })

  it("carries the event, signed, and its success is kept", async () => {
    const { team, work, carried, dashboard } = await setUp()
    const receiver = internet.receiver()
    const webhook = await subscribe(team, receiver.url)
    const event = domainEvent(work, team)
    await happen(work, event)
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])

    const [request = never()] = receiver.received()
    expect(receiver.received()).toHaveLength(1)
    expect(JSON.parse(request.body)).toEqual({
      id: event.id,
      type: "domain.verified",
      createdAt: new Date(event.createdAt).toISOString(),
      data: event.data,
    })
    expect(request.headers.get("svc-event-id")).toBe(event.id)
    expect(request.headers.get("svc-event-sequence")).toBe("1")
    expect(await isSignedBy(webhook.secret, request, work)).toBe(true)

    const { body } = await dashboard("GET", `/deliveries/${ref.id}`)
    expect(body).toEqual({
      id: ref.id,
      webhookId: webhook.id,
      eventId: event.id,
      eventType: "domain.verified",
      state: "succeeded",
      attemptCount: 1,
      nextAttemptAt: null,
      createdAt: new Date(event.createdAt).toISOString(),
      completedAt: new Date(work.now()).toISOString(),
      payload: JSON.parse(request.body),
      attempts: [
        {
          number: 1,
          startedAt: new Date(work.now()).toISOString(),
          durationMs: 0,
          statusCode: 200,
          error: null,
          responseExcerpt: "thanks",
        },
      ],
    })
    const { payload: _, attempts: __, ...listed } = body
    const list = await dashboard("GET", `/webhooks/${webhook.id}/deliveries`)
    expect(list.body).toEqual({
      data: [{ ...listed, about: "example.com" }],
      nextCursor: null,
    })
  })

  it("comes at 0, 1 minute, 6, 36, 2 h 36 and 10 h 36, then the delivery is exhausted", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver(() => new Response("no", { status: 500 }))
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const start = work.now()
    let messages = await carried()
    const { ref } = messages[0] ?? never()
    while (messages.length > 0) {
      expect(messages).toHaveLength(1)
      clock.advance((messages[0]?.delaySeconds ?? 0) * 1000)
      await dispatch(work, [ref])
      messages = await carried()
    }
    const row = await rowOf(ref)
    const times = row?.attempts.map(({ startedAt }) => ((startedAt as number) - start) / MINUTE)
    expect(times).toEqual([0, 1, 6, 36, 156, 636])
    expect(row).toMatchObject({ state: "exhausted", due_at: null })
    clock.advance(DAY)
    await dispatch(work, [ref])
    expect(receiver.received()).toHaveLength(6)
    expect(
      new Set(receiver.received().map(({ headers }) => headers.get("svc-event-id"))).size,
    ).toBe(1)
    expect(new Set(receiver.received().map(({ body }) => body)).size).toBe(1)
  })

  it("waits from the end of the previous attempt", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver(() => {
      clock.advance(1_500)
      return new Response(null, { status: 500 })
    })
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    const startedAt = work.now()
    await dispatch(work, [ref])
    expect(await rowOf(ref)).toMatchObject({ not_before: startedAt + 1_500 + MINUTE })
  })

  it("signs with the newest secret and with a fresh time", async () => {
    const { team, clock, work, carried, dashboard } = await setUp()
    const receiver = internet.receiver(() => new Response(null, { status: 500 }))
    const { id, secret } = await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])
    const rotated = await dashboard("POST", `/webhooks/${id}/rotate-secret`)
    expect(rotated.status).toBe(200)
    clock.advance(10 * MINUTE)
    await dispatch(work, [ref])
    const [first = never(), second = never()] = receiver.received()
    expect(await isSignedBy(secret, second, work)).toBe(false)
    expect(await isSignedBy(rotated.body.secret, second, work)).toBe(true)
    expect(first.headers.get("webhook-timestamp")).not.toBe(second.headers.get("webhook-timestamp"))
  })

  it("signs with both secrets for a day after a rotation with overlap", async () => {
    const { team, clock, work, carried, dashboard } = await setUp()
    clock.advance(1_000)
    const receiver = internet.receiver()
    const { id, secret } = await subscribe(team, receiver.url)
    const { status, headers, body } = await dashboard("POST", `/webhooks/${id}/rotate-secret`, {
      overlap: true,
    })
    expect(status).toBe(200)
    expect(headers.get("cache-control")).toBe("no-store")
    const deliver = async () => {
      await happen(work, domainEvent(work, team))
      await dispatch(
        work,
        (await carried()).map(({ ref }) => ref),
      )
      return receiver.received().at(-1) ?? never()
    }
    const during = await deliver()
    expect(await isSignedBy(secret, during, work)).toBe(true)
    expect(await isSignedBy(body.secret, during, work)).toBe(true)
    clock.advance(DAY)
    const after = await deliver()
    expect(await isSignedBy(secret, after, work)).toBe(false)
    expect(await isSignedBy(body.secret, after, work)).toBe(true)

    const row = await env.DB.prepare("select * from webhooks where id = ?").bind(id).first()
    for (const shown of [secret, body.secret]) {
      expect(JSON.stringify(row)).not.toContain(shown.slice(6))
    }
  })

  it("signs with the new secret alone after a rotation without overlap", async () => {
    const { team, work, carried, dashboard } = await setUp()
    const receiver = internet.receiver()
    const { id, secret } = await subscribe(team, receiver.url)
    const rotate = async (how?: object) =>
      (await dashboard("POST", `/webhooks/${id}/rotate-secret`, how)).body.secret
    const second = await rotate({ overlap: true })
    const last = await rotate()
    await happen(work, domainEvent(work, team))
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    const [alone = never()] = receiver.received()
    for (const [one, isUsed] of [
      [secret, false],
      [second, false],
      [last, true],
    ]) {
      expect(await isSignedBy(one, alone, work)).toBe(isUsed)
    }
  })

  it("reads secrets that an older key has sealed", async () => {
    const { team, work, carried } = await setUp({
      ENCRYPTION_KEYS: `new:${Buffer.alloc(32, 1).toString("base64")},test:${Buffer.alloc(32, 7).toString("base64")}`,
    })
    const receiver = internet.receiver()
    const { secret } = await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    expect(await isSignedBy(secret, receiver.received()[0] ?? never(), work)).toBe(true)
  })

  it("that cannot be signed is no attempt, and its webhook has one probe a minute", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver()
    const { id } = await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team), domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    const ENCRYPTION_KEYS = `other:${Buffer.alloc(32, 1).toString("base64")}`
    await dispatch({ ...work, settings: { ...work.settings, ENCRYPTION_KEYS } }, [ref])
    expect(logged.mock.calls.flat().join()).toContain("ENCRYPTION_KEYS has no key 'test'")
    logged.mockRestore()
    expect(await rowOf(ref)).toMatchObject({
      state: "pending",
      not_before: work.now() + MINUTE,
      attempts: [],
    })
    expect((await team.api.get(`/webhooks/${id}`)).body).toMatchObject({ failingSince: null })
    await dispatch(work, [ref])
    expect(receiver.received()).toHaveLength(0)
    clock.advance(MINUTE)
    await dispatch(work, [ref])
    expect(receiver.received()).toHaveLength(1)
  })

  it("waits while the resolver is away, for longer than a receiver may fail", async () => {
    const { team, clock, work, carried } = await setUp()
    let status = 500
    const receiver = internet.receiver(() => new Response(null, { status }))
    const { id } = await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])
    const host = new URL(receiver.url).hostname
    const addresses = internet.names.get(host) ?? never()
    internet.names.set(host, null).set(".", null)
    clock.advance(MINUTE)
    await dispatch(work, [ref])
    for (let minutes = 1; minutes <= 8; minutes++) {
      clock.advance(MINUTE)
      await dispatch(work, [ref])
    }
    clock.advance(25 * HOUR)
    await sweepFailingWebhooks(work)
    expect(await rowOf(ref)).toMatchObject({ state: "pending", attempts: [{ statusCode: 500 }] })
    expect((await team.api.get(`/webhooks/${id}`)).body).toMatchObject({ enabled: true })
    internet.names.set(host, addresses).delete(".")
    status = 200
    await dispatch(work, [ref])
    expect(await rowOf(ref)).toMatchObject({ state: "succeeded" })
  })

  const excerptOf = "x".repeat(499)
  it.each([
    { name: "a redirect, which is not followed", status: 307, expected: { statusCode: 307 } },
    { name: "410", status: 410, expected: { statusCode: 410 } },
    {
      name: "429 with less patience than ours",
      status: 429,
      after: "5",
      expected: { statusCode: 429 },
    },
    { name: "429 with more", status: 429, after: "120", minutes: 2, expected: { statusCode: 429 } },
    {
      name: "503 with more",
      status: 503,
      after: "600",
      minutes: 10,
      expected: { statusCode: 503 },
    },
    {
      name: "500 with more, which is not asked",
      status: 500,
      after: "600",
      expected: { statusCode: 500 },
    },
    { name: "503 with nonsense", status: 503, after: "soon", expected: { statusCode: 503 } },
    {
      name: "a year of patience, cut",
      status: 503,
      after: "31536000",
      minutes: 24 * 60,
      expected: {},
    },
    { name: "no text", status: 500, body: "", expected: { responseExcerpt: null } },
    {
      name: "a long answer, cut within a character",
      status: 500,
      body: `${excerptOf}é${"y".repeat(5000)}`,
      expected: { responseExcerpt: excerptOf },
    },
    { name: "no answer", error: new TypeError("reset"), expected: { error: "No answer: reset" } },
    {
      name: "a timeout",
      error: new DOMException("timed out", "TimeoutError"),
      expected: { error: "No answer within 10 seconds.", statusCode: null },
    },
  ])(
    "is tried again after $name",
    async ({ status, after, body, error, minutes = 1, expected }) => {
      const { team, work, carried } = await setUp()
      const receiver = internet.receiver(() => {
        if (error) throw error
        const headers = {
          location: "https://elsewhere.example/",
          ...(after && { "retry-after": after }),
        }
        return new Response(body ?? "no", { status: status ?? 500, headers })
      })
      await subscribe(team, receiver.url)
      await happen(work, domainEvent(work, team))
      const [{ ref } = never()] = await carried()
      await dispatch(work, [ref])
      const row = await rowOf(ref)
      expect(row).toMatchObject({ state: "pending", not_before: work.now() + minutes * MINUTE })
      expect(row?.attempts).toEqual([expect.objectContaining({ number: 1, ...expected })])
      expect(internet.received.filter(({ url }) => url.includes("elsewhere"))).toEqual([])
    },
  )

  it("looks the name up each time: a private address ends the delivery, a failed look-up does not", async () => {
    const { team, clock, work, carried, sent } = await setUp()
    const receiver = internet.receiver()
    const host = new URL(receiver.url).hostname
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    internet.names.set(host, null)
    await dispatch(work, [ref])
    expect(await rowOf(ref)).toMatchObject({ state: "pending", attempts: [{ statusCode: null }] })
    internet.names.set(host, ["93.184.215.14", "10.0.0.7"])
    clock.advance(MINUTE)
    await dispatch(work, [ref])
    expect(await rowOf(ref)).toMatchObject({ state: "failed", due_at: null })
    expect(receiver.received()).toEqual([])
    expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual([60])
  })
})

describe("queue messages", () => {
  it("that 50 consumers get twice make one attempt at each due time", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return new Response(null, { status: 500 })
    })
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    for (const [slot, delayMinutes] of [0, 1, 5, 30].entries()) {
      clock.advance(delayMinutes * MINUTE)
      await Promise.all(Array.from({ length: 50 }, () => dispatch(work, [ref, ref])))
      expect(receiver.received()).toHaveLength(slot + 1)
    }
    expect((await rowOf(ref))?.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4])
  })

  it("that come early, or after the delivery has ended, do nothing", async () => {
    const { team, clock, work, carried } = await setUp()
    let status = 500
    const receiver = internet.receiver(() => new Response(null, { status }))
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])
    clock.advance(MINUTE - 1)
    await dispatch(work, [ref])
    expect(receiver.received()).toHaveLength(1)
    status = 204
    clock.advance(1)
    await dispatch(work, [ref])
    clock.advance(DAY)
    await dispatch(work, [ref])
    expect(receiver.received()).toHaveLength(2)
    expect((await rowOf(ref))?.state).toBe("succeeded")
  })

  it("that are lost are replaced by the sweep after a while", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver(() => new Response(null, { status: 500 }))
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    const swept = async () => {
      await sweepDeliveries(work)
      return (await carried()).filter(({ ref: { teamId } }) => teamId === team.id)
    }
    expect(await swept()).toEqual([])
    clock.advance(30_000)
    expect(await swept()).toEqual([{ ref, delaySeconds: 0 }])
    await dispatch(work, [ref])
    await carried()
    clock.advance(MINUTE + 30_000)
    expect(await swept()).toEqual([{ ref, delaySeconds: 0 }])
  })

  it("are claimed by another consumer once the lease of a dead one is over", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver()
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await env.DB.prepare("update deliveries set not_before = ? where id = ?")
      .bind(work.now() + LEASE_MS, ref.id)
      .run()
    await dispatch(work, [ref])
    expect(receiver.received()).toEqual([])
    clock.advance(LEASE_MS)
    await dispatch(work, [ref])
    expect(receiver.received()).toHaveLength(1)
  })

  it("whose consumer has lost its lease write nothing", async () => {
    const { team, clock, work, carried } = await setUp()
    const statuses = [500, 200]
    const receiver = internet.receiver(async () => {
      const status = statuses.shift()
      if (status === 500) {
        clock.advance(LEASE_MS)
        await dispatch(work, [ref])
      }
      return new Response(null, { status: status ?? 500 })
    })
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])
    expect(receiver.received()).toHaveLength(2)
    expect(await rowOf(ref)).toMatchObject({ state: "succeeded", due_at: null })
    expect((await rowOf(ref))?.attempts).toEqual([expect.objectContaining({ statusCode: 200 })])
  })
})

describe("a hint", () => {
  it("is the only one of its webhook until its deliveries are claimed", async () => {
    const { team, clock, work, sent } = await setUp()
    const webhooks = await Promise.all(
      [1, 2, 3].map(() => subscribe(team, internet.receiver().url)),
    )
    for (let second = 0; second < 3; second++) {
      await happen(work, domainEvent(work, team), domainEvent(work, team))
      clock.advance(1_000)
    }
    const hinted = sent.flatMap(({ message }) => ("webhooks" in message ? message.webhooks : []))
    expect(hinted).toHaveLength(3)
    expect(new Set(hinted.map(({ webhookId }) => webhookId))).toEqual(
      new Set(webhooks.map(({ id }) => id)),
    )
  })

  it.each([
    { receiver: "quick", ms: 20, next: [{ delaySeconds: 0 }] },
    { receiver: "slow", ms: 2_000, next: [] },
  ])(
    "of a $receiver receiver is followed by $next.length for what else is due",
    async ({ ms, next }) => {
      const { team, clock, work, hints } = await setUp()
      const followed: unknown[] = []
      const receiver = internet.receiver(() => {
        followed.push(...hints())
        clock.advance(ms)
        return new Response()
      })
      const { id: webhookId } = await subscribe(team, receiver.url)
      await happen(work, ...Array.from({ length: 60 }, () => domainEvent(work, team)))
      hints()
      await dispatch(work, [{ teamId: team.id, webhookId }])
      expect(followed).toMatchObject(next)
    },
  )
})

describe("a failing webhook", () => {
  /** Fails from the start; `try` makes one more event and attempts it. */
  async function failing() {
    const set = await setUp()
    const answer = { status: 500 }
    const receiver = internet.receiver(() => new Response(null, answer))
    const webhook = await subscribe(set.team, receiver.url)
    const attemptOne = async () => {
      await happen(set.work, domainEvent(set.work, set.team))
      const [{ ref } = never()] = await set.carried()
      await dispatch(set.work, [ref])
      await set.carried()
      return ref
    }
    const read = async () => (await set.team.api.get(`/webhooks/${webhook.id}`)).body
    return { ...set, answer, receiver, webhook, attemptOne, read }
  }

  it("shows the time of its first failure until the next success", async () => {
    const { clock, work, answer, attemptOne, read } = await failing()
    const since = new Date(work.now()).toISOString()
    await attemptOne()
    clock.advance(HOUR)
    await attemptOne()
    expect(await read()).toMatchObject({ enabled: true, failingSince: since })
    answer.status = 200
    await attemptOne()
    expect(await read()).toMatchObject({ enabled: true, failingSince: null })
  })

  it("shows the time of the first of several failures after a success", async () => {
    const { team, clock, work, carried } = await setUp()
    const statuses = [200]
    const receiver = internet.receiver(() => {
      clock.advance(50)
      return new Response(null, { status: statuses.shift() ?? 500 })
    })
    const { id } = await subscribe(team, receiver.url)
    await happen(work, ...Array.from({ length: 6 }, () => domainEvent(work, team)))
    const refs = (await carried()).map(({ ref }) => ref)
    await dispatch(work, refs)
    const failures = (await Promise.all(refs.map(rowOf)))
      .flatMap((row) => row?.attempts ?? [])
      .filter((one) => one.statusCode === 500)
      .map((one) => Number(one.startedAt) + Number(one.durationMs))
    expect(failures).toHaveLength(5)
    const { failingSince } = (await team.api.get(`/webhooks/${id}`)).body
    expect(failingSince).toBe(new Date(Math.min(...failures)).toISOString())
  })

  it("is disabled by a failure at 24 hours, not before, and its pending deliveries fail", async () => {
    const { clock, work, carried, attemptOne, read, receiver, team } = await failing()
    await attemptOne()
    clock.advance(DAY - 1)
    const before = await attemptOne()
    expect(await read()).toMatchObject({ enabled: true })
    clock.advance(1)
    await happen(work, domainEvent(work, team))
    const last = await attemptOne()
    expect(await read()).toMatchObject({
      enabled: false,
      disabledReason: "Disabled after 24 hours of failed deliveries.",
    })
    for (const ref of [before, last])
      expect(await rowOf(ref)).toMatchObject({ state: "failed", due_at: null })
    const tried = receiver.received().length
    await happen(work, domainEvent(work, team))
    expect(await carried()).toEqual([])
    clock.advance(DAY)
    await dispatch(work, [before, last])
    expect(receiver.received()).toHaveLength(tried)
  })

  it("is disabled by the sweep if there is no attempt at 24 hours", async () => {
    const { clock, work, attemptOne, read } = await failing()
    const pending = await attemptOne()
    clock.advance(DAY - 1)
    await sweepFailingWebhooks(work)
    expect(await read()).toMatchObject({ enabled: true })
    clock.advance(1)
    await sweepFailingWebhooks(work)
    expect(await read()).toMatchObject({ enabled: false, disabledReason: expect.any(String) })
    expect(await rowOf(pending)).toMatchObject({ state: "failed" })
  })

  it("that is enabled again has a new 24 hours, and its failed deliveries stay failed", async () => {
    const { clock, work, attemptOne, read, webhook, team } = await failing()
    const dropped = await attemptOne()
    clock.advance(DAY)
    await sweepFailingWebhooks(work)
    const enabled = await team.api.patch(`/webhooks/${webhook.id}`, { enabled: true })
    expect(enabled.body).toMatchObject({ enabled: true, failingSince: null, disabledReason: null })
    await endRest(webhook.id)
    expect(await rowOf(dropped)).toMatchObject({ state: "failed" })
    const since = new Date(work.now()).toISOString()
    await attemptOne()
    clock.advance(DAY - 1)
    await attemptOne()
    expect(await read()).toMatchObject({ enabled: true, failingSince: since })
    clock.advance(1)
    await attemptOne()
    expect(await read()).toMatchObject({ enabled: false })
  })

  it("that a person disables has failed deliveries in place of pending ones, and no reason", async () => {
    const { attemptOne, webhook, team } = await failing()
    const pending = await attemptOne()
    const { body } = await team.api.patch(`/webhooks/${webhook.id}`, { enabled: false })
    expect(body).toMatchObject({ enabled: false, disabledReason: null })
    expect(await rowOf(pending)).toMatchObject({ state: "failed", due_at: null })
  })
})

describe("a webhook that is disabled or deleted during an attempt", () => {
  it.each([
    { status: 500, state: "failed" },
    { status: 200, state: "succeeded" },
  ])("keeps the attempt: after $status the delivery is $state", async ({ status, state }) => {
    const { team, work, carried } = await setUp()
    const receiver = internet.receiver(async () => {
      await team.api.patch(`/webhooks/${id}`, { enabled: false })
      return new Response(null, { status })
    })
    const { id } = await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])
    const row = await rowOf(ref)
    expect(row).toMatchObject({ state, due_at: null, attempts: [{ statusCode: status }] })
    const { body } = await team.api.get(`/webhooks/${id}`)
    expect(body).toMatchObject({ enabled: false, failingSince: null })
  })

  it("has no pending delivery left", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver(async () => {
      clock.advance(15_000)
      await team.api.patch(`/webhooks/${id}`, { enabled: false })
      return new Response()
    })
    const { id } = await subscribe(team, receiver.url)
    await happen(work, ...Array.from({ length: 20 }, () => domainEvent(work, team)))
    const refs = (await carried()).map(({ ref }) => ref)
    await dispatch(work, refs)
    const rows = await Promise.all(refs.map(rowOf))
    const made = receiver.received().length
    expect(made).toBeLessThan(20)
    expect(rows.filter((row) => row?.state === "succeeded")).toHaveLength(made)
    expect(rows.filter((row) => row?.state === "failed")).toHaveLength(20 - made)
    expect(rows.filter((row) => row?.due_at !== null)).toEqual([])
  })

  it("has no deliveries once it is deleted", async () => {
    const { team, work, carried, dashboard } = await setUp()
    const receiver = internet.receiver(async () => {
      await team.api.delete(`/webhooks/${id}`)
      return new Response()
    })
    const { id } = await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])
    expect(await rowOf(ref)).toBeNull()
    expect((await dashboard("GET", `/webhooks/${id}/deliveries`)).status).toBe(404)
  })
})

describe("a test call and a replay", () => {
  it("a test call sends one event to this webhook alone, whatever the webhook subscribes to", async () => {
    const { team } = await setUp()
    const tested = internet.receiver()
    const other = internet.receiver()
    const { id } = await subscribe(team, tested.url, ["campaign.sent"])
    await subscribe(team, other.url, ["email.delivered"])
    const { status, body } = await team.api.post(`/webhooks/${id}/test`)
    expect(status).toBe(202)
    expect(body).toEqual({ deliveryId: expect.stringMatching(/^whd_[0-9A-Z]{26}$/) })
    await eventually(() => expect(tested.received()).toHaveLength(1))
    expect(JSON.parse(tested.received()[0]?.body ?? "")).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: "email.delivered",
      createdAt: expect.any(String),
      data: { test: true },
    })
    expect(other.received()).toEqual([])
  })

  it("a replay is a new delivery of the same event", async () => {
    const { team, work, carried, dashboard } = await setUp()
    const receiver = internet.receiver()
    await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])
    const { status, body } = await dashboard("POST", `/deliveries/${ref.id}/replay`)
    expect(status).toBe(202)
    expect(body.deliveryId).not.toBe(ref.id)
    await eventually(() => expect(receiver.received()).toHaveLength(2))
    const [first, second] = receiver.received()
    expect(second?.body).toBe(first?.body)
    expect((await dashboard("POST", `/deliveries/${newId("delivery")}/replay`)).status).toBe(404)
    expect((await dashboard("GET", `/deliveries/${newId("delivery")}`)).status).toBe(404)
  })

  it("both are refused while the webhook is disabled", async () => {
    const { team, work, carried, dashboard } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    await team.api.patch(`/webhooks/${id}`, { enabled: false })
    expect((await team.api.post(`/webhooks/${id}/test`)).status).toBe(409)
    expect((await team.api.post(`/webhooks/${id}/backfill`, { after: 0 })).status).toBe(409)
    expect((await dashboard("POST", `/deliveries/${ref.id}/replay`)).status).toBe(409)
  })
})
