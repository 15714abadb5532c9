import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, it, vi } from "vitest"
import { chunk } from "../../../src/lib/chunk.ts"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { newId } from "../../../src/lib/id.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { cancelEmail } from "../../../src/worker/emails/cancel.ts"
import type { EmailRef } from "../../../src/worker/emails/messages.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { openStream as openEvents } from "../../../src/worker/stream/connect.ts"
import { MAX_READERS } from "../../../src/worker/stream/contract.ts"
import { type Change, keepChanges, newPublication } from "../../../src/worker/stream/outbox.ts"
import { sweepOutbox } from "../../../src/worker/stream/sweep.ts"
import type { Attempt } from "../../../src/worker/webhooks/deliveries/contract.ts"
import { recordResults } from "../../../src/worker/webhooks/deliveries/record.ts"
import type { DeliveryRow } from "../../../src/worker/webhooks/events/table.ts"
import {
  createWebhook,
  deleteWebhook,
  rotateSecret,
  updateWebhook,
} from "../../../src/worker/webhooks/webhooks.ts"
import { createApi, request } from "../../support/api.ts"
import { eventually } from "../../support/eventually.ts"
import { directory } from "../../support/installation.ts"
import { metered } from "../../support/meter.ts"
import { sessionOf } from "../../support/session.ts"
import {
  changesOf,
  type Frame,
  openStream,
  publishChanges,
  readDashboardStream,
  readStream,
  type StreamReader,
  toFrames,
} from "../../support/stream.ts"
import { addKey, makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const keep = (changes: readonly Change[]) => {
  const { work } = testWork()
  return keepChanges(work, changes, newPublication(work)).query
}

const take = async (reader: StreamReader, count: number) => {
  const frames = []
  while (frames.length < count) frames.push(await reader.next())
  return frames
}

describe("a stream that hangs", () => {
  it("does not hold up the record of an email", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/emails", {
      from: `a@${team.domain}`,
      to: "stuck@simulator.amazonses.com",
      subject: "Hello",
      text: "Hi",
    })
    const TEAM_STREAM = {
      getByName: () => ({ announce: () => new Promise(() => {}) }),
    } as unknown as Env["TEAM_STREAM"]
    const { work } = testWork({ settings: { TEAM_STREAM } })
    const ref = { teamId: team.id, emailId: body.id }
    const isRecorded = recordEvents(work, [reportOf(ref, "opened", Date.now())]).then(() => true)
    expect(await Promise.race([isRecorded, scheduler.wait(30_000)])).toBe(true)
  })
})

describe("GET /stream", () => {
  it("confirms the subscription, then sends each change of the team with its sequence", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()]
    const { work } = testWork()
    const reader = await readStream(team.api.key)
    expect(reader.response.status).toBe(200)
    expect(Object.fromEntries(reader.response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-request-id": expect.stringMatching(/^req_/),
    })
    expect(await reader.next()).toEqual({ comment: "connected" })
    const changes = changesOf(team.id, 3)
    await publishChanges(work, [...changesOf(other.id, 2), ...changes])
    expect(await take(reader, 3)).toEqual(toFrames(changes))
    await reader.close()
  })

  it.each([
    ["no key", undefined, 401, "unauthorized"],
    ["an unknown key", "svc_live_unknown", 401, "unauthorized"],
    ["a sending-only key", "sending-only", 403, "forbidden"],
  ])("%s is refused with the envelope", async (_, key, status, code) => {
    const secret = key === "sending-only" ? (await makeTeam()).sendingOnly.key : key
    const reply = await request(
      "GET",
      "/api/v1/stream",
      undefined,
      secret ? { authorization: `Bearer ${secret}` } : {},
    )
    expect(reply).toMatchObject({ status, body: { error: { code } } })
    expect(reply.headers.get("x-request-id")).toMatch(/^req_/)
  })

  it("ends within 15 seconds after its session ends or its user leaves the team", async () => {
    const team = await makeTeam()
    const open = async () => {
      const cookie = await sessionOf(team.id, "member")
      const { body } = await request("GET", "/dashboard/api/session", undefined, { cookie })
      return { cookie, userId: body.user.id, reader: await readDashboardStream(cookie) }
    }
    const [signedOut, removed, changed, expired, kept] = [
      await open(),
      await open(),
      await open(),
      await open(),
      await open(),
    ]
    const byKey = await readStream(team.api.key)
    const ends = [signedOut, removed, changed, expired].map(async ({ reader }) => {
      await take(reader, 100)
    })
    const startedAt = Date.now()
    await request("POST", "/dashboard/auth/sign-out", undefined, { cookie: signedOut.cookie })
    await directory.prepare("delete from members where user_id = ?").bind(removed.userId).run()
    await directory.prepare("delete from sessions where user_id = ?").bind(changed.userId).run()
    await directory
      .prepare("update sessions set expires_at = ? where user_id = ?")
      .bind(Date.now(), expired.userId)
      .run()
    for (const end of await Promise.allSettled(ends)) {
      expect(end).toMatchObject({ reason: { message: "The stream has ended" } })
    }
    // The machine may be busy for some seconds more.
    expect(Date.now() - startedAt).toBeLessThan(20_000)
    await publishChanges(testWork().work, changesOf(team.id, 1))
    await take(kept.reader, 2)
    await take(byKey, 2)
  })

  it("ends when its key is revoked, and the streams of other keys go on", async () => {
    const team = await makeTeam()
    const secret = await addKey(team.id)
    const { body } = await createApi(secret).get("/me")
    const [revoked, kept] = [await readStream(secret), await readStream(team.api.key)]
    expect((await team.api.delete(`/api-keys/${body.key.id}`)).status).toBe(204)
    await take(kept, 1)
    await expect(take(revoked, 2)).rejects.toThrow("The stream has ended")
    const changes = changesOf(team.id, 1)
    await publishChanges(testWork().work, changes)
    expect(await take(kept, 1)).toEqual(toFrames(changes))
    await kept.close()
  })

  it("sends one change for each entry of an email's timeline", async () => {
    const { api, domain } = await makeTeam()
    const reader = await readStream(api.key)
    await reader.next()
    const { body } = await api.post("/emails", {
      from: `a@${domain}`,
      to: "someone@example.com",
      subject: "Hi",
      text: "Hi",
    })
    const data = JSON.stringify({ type: "email", id: body.id })
    expect(await take(reader, 2)).toEqual([
      { id: "1", event: "change", data },
      { id: "2", event: "change", data },
    ])
    await reader.close()
  })

  it("HEAD answers without a body", async () => {
    const { api } = await makeTeam()
    const reply = await request("HEAD", "/api/v1/stream", undefined, {
      authorization: `Bearer ${api.key}`,
    })
    expect([reply.status, reply.body]).toEqual([200, ""])
  })
})

describe("a team with all its streams open", () => {
  const openAll = async (key: string) => {
    const readers: StreamReader[] = []
    while (readers.length < MAX_READERS) readers.push(await readStream(key))
    for (const reader of readers) await reader.next()
    return readers
  }
  const closeAll = (readers: readonly StreamReader[]) =>
    Promise.all(readers.map((reader) => reader.close().catch(() => {})))

  it("gets no further one while every reader keeps up, and another team does", async () => {
    const [{ api }, other] = [await makeTeam(), await makeTeam()]
    const readers = await openAll(api.key)
    const refused = await openStream(api.key)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "25"])
    expect(await refused.json()).toMatchObject({ error: { code: "rate_limited" } })
    const unaffected = await readStream(other.api.key)
    expect(unaffected.response.status).toBe(200)
    await closeAll([...readers, unaffected])
    const again = await eventually(async () => {
      const reader = await readStream(api.key)
      expect(reader.response.status).toBe(200)
      return reader
    })
    await again.close()
  })

  it("lets a stalled reader go for a new one, and the stalled one resumes by its number", async () => {
    const { id, api } = await makeTeam()
    const [stalled, ...quick] = (await openAll(api.key)) as [StreamReader, ...StreamReader[]]
    const changes = changesOf(id, 6_000)
    const { work } = testWork()
    for (const part of chunk(changes, 1_000)) {
      await publishChanges(work, part)
      await Promise.all(quick.map((reader) => take(reader, part.length)))
    }
    const newcomer = await readStream(api.key)
    expect(newcomer.response.status).toBe(200)
    const read: Frame[] = []
    for (;;) {
      const frame = await stalled.next().catch(() => null)
      if (!frame) break
      read.push(frame)
    }
    expect(read.length).toBeLessThan(changes.length)
    await quick.pop()?.close()
    const resumed = await eventually(async () => {
      const reader = await readStream(api.key, read.at(-1)?.id ?? "0")
      expect(reader.response.status).toBe(200)
      return reader
    })
    await resumed.next()
    const rest = await take(resumed, changes.length - read.length)
    expect([...read, ...rest]).toEqual(toFrames(changes))
    await closeAll([...quick, newcomer, resumed])
  })
})

describe("Last-Event-ID", () => {
  it("replays the missed changes right after the confirmation, then goes on", async () => {
    const { id, api } = await makeTeam()
    const { work } = testWork()
    const changes = changesOf(id, 2_503)
    await publishChanges(work, changes.slice(0, 2_500))
    const reader = await readStream(api.key, "7")
    expect(await reader.next()).toEqual({ comment: "connected" })
    expect(await take(reader, 2_493)).toEqual(toFrames(changes.slice(7, 2_500), 7))
    await publishChanges(work, changes.slice(2_500))
    expect(await take(reader, 3)).toEqual(toFrames(changes.slice(2_500), 2_500))
    await reader.close()
  })

  it("sends what waits before what is new", async () => {
    const { id, api } = await makeTeam()
    const { work } = testWork()
    const changes = changesOf(id, 2_010)
    for (const part of chunk(changes.slice(0, 2_000), 1_000)) await publishChanges(work, part)
    const reader = await readStream(api.key, "0")
    await publishChanges(work, changes.slice(2_000))
    await reader.next()
    const frames = []
    do frames.push(await reader.next())
    while (frames.at(-1)?.id !== String(changes.length))
    expect(frames).toEqual(toFrames(changes))
    await reader.close()
  })

  it("may be the sequence in the reply's header, after a connection that broke before its first change", async () => {
    const { id, api } = await makeTeam()
    const { work } = testWork()
    const changes = changesOf(id, 3)
    await publishChanges(work, changes.slice(0, 2))
    const reader = await readStream(api.key)
    const sequence = reader.response.headers.get("svc-stream-sequence") as string
    expect(sequence).toBe("2")
    await reader.close()
    await publishChanges(work, changes.slice(2))
    const again = await readStream(api.key, sequence)
    expect(again.response.headers.get("svc-stream-sequence")).toBe("2")
    await again.next()
    expect(await again.next()).toEqual(toFrames(changes.slice(2), 2)[0])
    await again.close()
  })

  it("of the newest change replays nothing", async () => {
    const { id, api } = await makeTeam()
    const { work } = testWork()
    const changes = changesOf(id, 2)
    await publishChanges(work, changes.slice(0, 1))
    const reader = await readStream(api.key, "1")
    await reader.next()
    await publishChanges(work, changes.slice(1))
    expect(await reader.next()).toEqual(toFrames(changes)[1])
    await reader.close()
  })

  it.each(["4", "-1", "1.5", "01", "abc", "1e3", "99999999999999999999"])(
    "%s, which the team's stream never gave, answers one reset with the current sequence",
    async (lastEventId) => {
      const { id, api } = await makeTeam()
      const { work } = testWork()
      const changes = changesOf(id, 4)
      await publishChanges(work, changes.slice(0, 3))
      const reader = await readStream(api.key, lastEventId)
      expect(await reader.next()).toEqual({ comment: "connected" })
      expect(await reader.next()).toEqual({ id: "3", event: "reset", data: "{}" })
      await publishChanges(work, changes.slice(3))
      expect(await reader.next()).toEqual(toFrames(changes)[3])
      await reader.close()
    },
  )

  it("replays the last 10,000 changes at most", async () => {
    const { id, api } = await makeTeam()
    const { work } = testWork()
    const changes = changesOf(id, 10_001)
    await publishChanges(work, changes)
    const tooOld = await readStream(api.key, "0")
    await tooOld.next()
    expect(await tooOld.next()).toEqual({ id: "10001", event: "reset", data: "{}" })
    await tooOld.close()
    const reader = await readStream(api.key, "1")
    await reader.next()
    expect(await take(reader, 10_000)).toEqual(toFrames(changes.slice(1), 1))
    await reader.close()
  })

  it("replays the last 24 hours, and the sequence goes on after older changes are deleted", async () => {
    const { id, api } = await makeTeam()
    const { work } = testWork()
    const changes = changesOf(id, 3)
    await publishChanges(work, changes.slice(0, 1))
    await publishChanges(work, changes.slice(1, 2))
    await runInDurableObject(env.TEAM_STREAM.getByName(id), (_, { storage }) => {
      storage.sql.exec("update publications set published_at = published_at - 86400001")
    })
    const reader = await readStream(api.key, "1")
    await reader.next()
    expect(await reader.next()).toEqual({ id: "2", event: "reset", data: "{}" })
    await publishChanges(work, changes.slice(2))
    expect(await reader.next()).toEqual(toFrames(changes)[2])
    await runInDurableObject(env.TEAM_STREAM.getByName(id), (_, { storage }) => {
      const rows = storage.sql.exec("select last_sequence from publications").toArray()
      expect(rows).toEqual([{ last_sequence: 3 }])
    })
    await reader.close()
  })
})

describe("publishing", () => {
  it("that comes twice is told once", async () => {
    const team = await makeTeam()
    const reader = await readStream(team.api.key)
    await reader.next()
    const stub = env.TEAM_STREAM.getByName(team.id) as unknown as {
      announce(announced: object[]): Promise<void>
    }
    const announcementOf = (id: string) => ({
      id,
      changes: [{ type: "email", id: newId("email") }],
    })
    const [first, second] = [newId("publication"), newId("publication")].map(announcementOf)
    for (const one of [first, first, second]) await stub.announce([one!])
    const told = (await take(reader, 2)).map(({ id, data }) => [id, JSON.parse(data ?? "").id])
    expect(told).toEqual([
      ["1", first?.changes[0]?.id],
      ["2", second?.changes[0]?.id],
    ])
    await reader.close()
  })

  it("is retried, in one call per team", async () => {
    const { id } = await makeTeam()
    const calls: unknown[][] = []
    const { work } = testWork({ settings: failing(2, calls) })
    const changes = changesOf(id, 2)
    await publishChanges(work, changes)
    const announced = {
      id: expect.stringMatching(/^pub_/),
      changes: changes.map(({ type, id }) => ({ type, id })),
    }
    expect(calls).toEqual(Array.from({ length: 3 }, () => [id, [announced]]))
  })

  it("that fails in every retry is done by the next minute, and fails no caller", async () => {
    const { id, api } = await makeTeam()
    const reader = await readStream(api.key)
    await reader.next()
    const changes = changesOf(id, 2)
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    await publishChanges(testWork({ settings: failing(Infinity) }).work, changes)
    expect(logged).toHaveBeenCalledOnce()
    logged.mockRestore()
    await sweepOutbox(nextMinute())
    expect(await take(reader, 2)).toEqual(toFrames(changes))
    await sweepOutbox(nextMinute())
    await publishChanges(testWork().work, changes)
    expect(await take(reader, 2)).toEqual(toFrames(changes, 2))
    await reader.close()
  })

  const schedule = async ({ api, domain }: Team) => {
    const { body } = await api.post("/emails", {
      from: `a@${domain}`,
      to: "someone@example.com",
      subject: "Hi",
      text: "Hi",
      scheduledAt: new Date(Date.now() + 60_000).toISOString(),
    })
    return body.id as string
  }

  it("is done by the next minute if a call dies right after its commit", async () => {
    const team = await makeTeam()
    const { api } = team
    const email = await schedule(team)
    const settings = { ...hanging(), WEBHOOK_ALLOW_PRIVATE: "true" }
    const { work } = testWork({ settings })
    const ctx = createKeyCtx(
      { ...work, defer: () => {}, detach: () => {} },
      sha256Hex(api.key),
      "full",
    )
    const { id } = await createWebhook(ctx, {
      name: null,
      url: "http://127.0.0.1:9",
      events: ["email.delivered"],
      format: "edgepost",
    })
    await updateWebhook(ctx, id, { enabled: false })
    await rotateSecret(ctx, id)
    await deleteWebhook(ctx, id)
    await cancelEmail(ctx, email)
    const reader = await readStream(api.key, "0")
    await reader.next()
    await sweepOutbox(nextMinute())
    const told = (await take(reader, 5)).map(({ data }) => JSON.parse(data ?? "").id)
    expect(told.toSorted()).toEqual([email, id, id, id, id])
    await reader.close()
  })

  it("sends nothing for a call without changes, and empties the outbox", async () => {
    const team = await makeTeam()
    const { api } = team
    const email = await schedule(team)
    const reader = await readStream(api.key)
    await reader.next()
    for (const path of [email, email, newId("email")]) await api.post(`/emails/${path}/cancel`)
    await api.patch(`/webhooks/${newId("webhook")}`, { enabled: false })
    await api.delete(`/webhooks/${newId("webhook")}`)
    expect(await take(reader, 1)).toEqual(toFrames([{ teamId: team.id, type: "email", id: email }]))
    expect(await outboxOf(team.id)).toHaveLength(1)
    await sweepOutbox(nextMinute())
    expect(await outboxOf(team.id)).toEqual([])
    await publishChanges(testWork().work, changesOf(team.id, 1))
    expect((await take(reader, 1))[0]?.id).toBe("2")
    await reader.close()
  })

  it("sends an event once that is recorded twice", async () => {
    const team = await makeTeam()
    const { work } = testWork()
    const ref = { teamId: team.id, emailId: await schedule(team) }
    const reader = await readStream(team.api.key)
    await reader.next()
    const event = (at: number) => reportOf(ref, "delayed", at)
    for (const at of [1, 1, 2]) await recordEvents(work, [event(at), event(at)])
    await sweepOutbox(nextMinute())
    await publishChanges(work, changesOf(team.id, 1))
    expect((await take(reader, 3)).map(({ data }) => JSON.parse(data ?? "").id)).toEqual([
      ref.emailId,
      ref.emailId,
      expect.not.stringContaining(ref.emailId),
    ])
    await reader.close()
  })

  it("is done by the next minute if a consumer dies right after its commit", async () => {
    const team = await makeTeam()
    const ids = [await schedule(team), await schedule(team), await schedule(team)]
    const [cancelled, failed, delivered] = ids.map((emailId) => ({ teamId: team.id, emailId }))
    const { work } = testWork({ settings: dead() })
    const events = [
      reportOf(cancelled as EmailRef, "cancelled", 1, { reason: "erased" }),
      reportOf(failed as EmailRef, "failed", 1, { reason: "Paused" }),
      reportOf(delivered as EmailRef, "delivered", 1),
    ]
    await expect(recordEvents(work, events)).rejects.toThrow("killed")
    const reader = await readStream(team.api.key, "0")
    await reader.next()
    await sweepOutbox(nextMinute())
    const told = (await take(reader, 3)).map(({ data }) => JSON.parse(data ?? "").id)
    expect(told.toSorted()).toEqual(ids.toSorted())
    expect(await outboxOf(team.id)).toEqual([])
    const other = changesOf(team.id, 1)
    await recordEvents(testWork().work, events)
    await publishChanges(testWork().work, other)
    expect(await take(reader, 1)).toEqual(toFrames(other, 3))
    await reader.close()
  })

  it("of several attempts is one change of the webhook, also if their consumer dies", async () => {
    const { id, api } = await makeTeam()
    const webhookId = newId("webhook")
    const delivery = { teamId: id, webhookId, id: newId("delivery"), notBefore: 1 } as DeliveryRow
    const attempt = { startedAt: 1, durationMs: 1 } as Attempt
    const verdict = { state: "exhausted" } as const
    const work = { ...testWork().work, defer: () => {} }
    const record = (id: string, attempts: (Attempt | null)[]) =>
      recordResults(
        work,
        {
          teamId: delivery.teamId,
          id,
          url: "https://example.com",
          hasWaiting: 0,
          deliverUntil: null,
        },
        attempts.map((attempt) => ({
          delivery: { ...delivery, webhookId: id, id: newId("delivery") },
          attempt,
          verdict,
        })),
        { rests: false },
      )
    await record(webhookId, [attempt, attempt])
    await record(newId("webhook"), [null])
    const [email] = changesOf(id, 1)
    await keep([email as Change])
    const reader = await readStream(api.key, "0")
    await reader.next()
    await sweepOutbox(nextMinute())
    expect(await take(reader, 2)).toEqual(
      toFrames([{ teamId: id, type: "webhook", id: webhookId }, email as Change]),
    )
    await reader.close()
  })

  it("to a stream that fails or hangs does not delay the other teams", async () => {
    const [failing, hanging, healthy] = [await makeTeam(), await makeTeam(), await makeTeam()]
    const { work } = testWork({ clock: makeClock(Date.now() + 60_000) })
    const rows = [failing, hanging].flatMap(({ id }) => changesOf(id, 150))
    for (const change of rows) await keep([change])
    const changes = changesOf(healthy.id, 2)
    await keep(changes)
    const { TEAM_STREAM } = env
    const getByName = (name: string) => {
      const untold = () =>
        name === failing.id ? Promise.reject(new Error("unreachable")) : new Promise(() => {})
      return name === healthy.id ? TEAM_STREAM.getByName(name) : { untold }
    }
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    await sweepOutbox({ ...work, env: { ...work.env, TEAM_STREAM: { getByName } } as never })
    logged.mockRestore()
    expect(await outboxOf(healthy.id)).toEqual([])
    expect(await outboxOf(failing.id)).toHaveLength(150)
    expect(await outboxOf(hanging.id)).toHaveLength(150)
    const meter = await metered(() => sweepOutbox(work))
    expect(await outboxOf(failing.id)).toEqual([])
    expect(await outboxOf(hanging.id)).toEqual([])
    expect(meter.roundTrips).toBeLessThan(300 / 10)
    const reader = await readStream(healthy.api.key, "0")
    await reader.next()
    expect(await take(reader, 2)).toEqual(toFrames(changes))
    await reader.close()
  })

  it("of more changes than a round has is done in the same minute", async () => {
    const teamId = newId("team")
    await env.DB.prepare(
      `insert into stream_outbox (team_id, id, changes)
       with recursive n (n) as (select 1 union all select n + 1 from n where n < 501)
       select ?1, 'pub_' || printf('%05d', n), '[]' from n`,
    )
      .bind(teamId)
      .run()
    const TEAM_STREAM = {
      getByName: () => ({ untold: async () => [] }),
    } as unknown as Env["TEAM_STREAM"]
    await sweepOutbox(testWork({ clock: makeClock(), settings: { TEAM_STREAM } }).work)
    expect(await outboxOf(teamId)).toEqual([])
  })

  it("of 1,500 teams makes few queries and calls a minute, and is done within minutes", async () => {
    await env.DB.prepare("delete from stream_outbox").run()
    const change = JSON.stringify([{ type: "email", id: newId("email") }])
    await env.DB.prepare(
      `insert into stream_outbox (team_id, id, changes)
       with recursive n (n) as (select 1 union all select n + 1 from n where n < 1500)
       select 'many' || n, ?1, ?2 from n`,
    )
      .bind(newId("publication"), change)
      .run()
    const heard = new Set<string>()
    let calls = 0
    const TEAM_STREAM = {
      getByName: (team: string) => ({
        untold: async (ids: string[]) => {
          calls++
          return ids
        },
        announce: async () => {
          calls++
          heard.add(team)
        },
      }),
    } as unknown as Env["TEAM_STREAM"]
    const clock = makeClock(Date.now() + 60_000)
    for (let minute = 0; minute < 10; minute++) {
      calls = 0
      const { roundTrips } = await metered(() =>
        sweepOutbox(testWork({ clock, settings: { TEAM_STREAM } }).work),
      )
      expect(calls).toBeLessThanOrEqual(400)
      expect(calls + roundTrips).toBeLessThan(650)
    }
    expect(heard.size).toBe(1_500)
    const { results } = await env.DB.prepare("select * from stream_outbox").all()
    expect(results).toEqual([])
  })

  it("writes one row for a hundred changes", async () => {
    const { id } = await makeTeam()
    await publishChanges(testWork().work, changesOf(id, 100))
    await runInDurableObject(env.TEAM_STREAM.getByName(id), (_, { storage }) => {
      expect(storage.sql.exec("select last_sequence from publications").toArray()).toEqual([
        { last_sequence: 100 },
      ])
    })
  })
})

describe("the object of a stream", () => {
  /** Cloudflare leaves the sockets open when the object leaves memory. */
  const sleep = async (teamId: string) => {
    const stub = env.TEAM_STREAM.getByName(teamId)
    const before = await runInDurableObject(stub, (object) => new WeakRef(object))
    await evictDurableObject(stub)
    await runInDurableObject(stub, (object) => expect(object).not.toBe(before.deref()))
  }

  it("sleeps while readers are connected, and they miss nothing", async () => {
    const { id, api } = await makeTeam()
    const readers = [await readStream(api.key), await readStream(api.key)]
    for (const reader of readers) await reader.next()
    const { work } = testWork()
    const changes = changesOf(id, 40)
    for (const [pause, part] of chunk(changes, 10).entries()) {
      await sleep(id)
      await publishChanges(work, part)
      for (const reader of readers)
        expect(await take(reader, 10)).toEqual(toFrames(part, pause * 10))
    }
    await sleep(id)
    for (const reader of readers) await reader.close()
  })

  it("leaves memory by itself while a reader is connected", async () => {
    const { id, api } = await makeTeam()
    const reader = await readStream(api.key)
    await reader.next()
    const stub = env.TEAM_STREAM.getByName(id)
    const mark = () =>
      runInDurableObject(stub, (object) => {
        const known = object as { isMarked?: boolean }
        const wasMarked = known.isMarked === true
        known.isMarked = true
        return wasMarked
      })
    await mark()
    const [change] = changesOf(id, 1)
    await eventually(async () => {
      await scheduler.wait(15_000)
      expect(await mark()).toBe(false)
    })
    await publishChanges(testWork().work, [change as Change])
    expect(await reader.next()).toEqual(toFrames([change as Change])[0])
    await reader.close()
  })

  it("sleeps while a reader is behind, and the reader goes on where it was", async () => {
    const { id, api } = await makeTeam()
    const { work } = testWork()
    const changes = changesOf(id, 6_000)
    const reader = await readStream(api.key)
    for (const part of chunk(changes, 1_000)) await publishChanges(work, part)
    expect(await take(reader, 101)).toEqual([
      { comment: "connected" },
      ...toFrames(changes.slice(0, 100)),
    ])
    await sleep(id)
    expect(await take(reader, 5_900)).toEqual(toFrames(changes.slice(100), 100))
    await reader.close()
  })

  it("ends its streams when a deployment resets it, and readers resume by their numbers", async () => {
    const { id, api } = await makeTeam()
    const { work } = testWork()
    const changes = changesOf(id, 20)
    const reader = await readStream(api.key)
    await reader.next()
    await publishChanges(work, changes.slice(0, 10))
    const read = await take(reader, 10)
    await runInDurableObject(env.TEAM_STREAM.getByName(id), (_, state) =>
      state.abort("updated"),
    ).catch(() => {})
    await expect(reader.next()).rejects.toThrow()
    await publishChanges(work, changes.slice(10))
    const resumed = await readStream(api.key, read.at(-1)?.id)
    await resumed.next()
    expect([...read, ...(await take(resumed, 10))]).toEqual(toFrames(changes))
    await resumed.close()
  })

  it("of the version before a deployment answers 503", async () => {
    const { api } = await makeTeam()
    const TEAM_STREAM = {
      getByName: () => ({ fetch: async () => new Response(": connected") }),
    } as unknown as Env["TEAM_STREAM"]
    const { work } = testWork({ settings: { TEAM_STREAM } })
    const ctx = createKeyCtx(work, sha256Hex(api.key), "full")
    await expect(openEvents(ctx)).rejects.toMatchObject({ code: "unavailable" })
  })
})

const outboxOf = async (teamId: string) =>
  (await env.DB.prepare("select * from stream_outbox where team_id = ?").bind(teamId).all()).results

/** An environment of a process that dies once it has committed. */
const dead = (): Partial<Env> => ({
  TEAM_STREAM: {
    getByName: () => {
      throw new Error("killed")
    },
  } as unknown as Env["TEAM_STREAM"],
  DB: new Proxy(env.DB, {
    get(db, name) {
      if (name !== "batch") return Reflect.get(db, name).bind(db)
      return async (statements: D1PreparedStatement[]) => {
        await db.batch(statements)
        throw new Error("killed")
      }
    },
  }),
})

const nextMinute = () => testWork({ clock: makeClock(Date.now() + 60_000) }).work

/** An environment whose streams never answer. */
const hanging = (): Partial<Env> => ({
  TEAM_STREAM: {
    getByName: () => ({ announce: () => new Promise(() => {}) }),
  } as unknown as Env["TEAM_STREAM"],
})

/** An environment whose streams cannot be reached the first times. */
function failing(times: number, calls: unknown[][] = []): Partial<Env> {
  const namespace = {
    getByName: (name: string) => ({
      announce: async (announcements: unknown) => {
        if (calls.push([name, announcements]) <= times) throw new Error("unreachable")
      },
    }),
  }
  return { TEAM_STREAM: namespace as unknown as Env["TEAM_STREAM"] }
}
