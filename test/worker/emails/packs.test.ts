import { env } from "cloudflare:workers"
import { gunzipSync } from "node:zlib"
import { describe, expect, it, vi } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { newId } from "../../../src/lib/id.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { moveContents } from "../../../src/worker/emails/packs/move.ts"
import { deleteLostPacks } from "../../../src/worker/emails/packs/purge.ts"
import { purgeExpired } from "../../../src/worker/emails/retention/retention.ts"
import { eraseAddress, sweepErasures } from "../../../src/worker/erasure/erase.ts"
import type { Work } from "../../../src/worker/platform/context.ts"
import { sweepDeletedTeams } from "../../../src/worker/teams/deletion/sweep.ts"
import { faultyD1 } from "../../faults/faulty-d1.ts"
import type { Invocation } from "../../faults/invocation.ts"
import type { Journal } from "../../faults/journal.ts"
import { request } from "../../support/api.ts"
import { PERSON_ROUND_TRIPS } from "../../support/installation.ts"
import { metered } from "../../support/meter.ts"
import { sessionOf } from "../../support/session.ts"
import { forgetWrites } from "../../support/strict.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const GZIP = Buffer.from([0x1f, 0x8b, 8])
const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const later = (ms: number, settings?: Parameters<typeof testWork>[0]) =>
  testWork({ clock: makeClock(Date.now() + ms), ...settings }).work
const inThreeHours = (bucket?: R2Bucket) =>
  later(3 * HOUR_MS, bucket && { settings: { CONTENT: bucket as never } })

interface Sent {
  team: Team
  ids: string[]
}

/** Emails with a text that names their number, all in this status. */
async function accept(count: number, change: object = {}, status = "delivered"): Promise<Sent> {
  const team = await makeTeam()
  const ids: string[] = []
  const items = Array.from({ length: count }, (_, index) => ({
    from: `sender@${team.domain}`,
    to: `reader-${index}@example.com`,
    subject: "Hello",
    text: `Text ${index}`,
    scheduledAt: new Date(Date.now() + HOUR_MS).toISOString(),
    ...change,
  }))
  for (let at = 0; at < count; at += 100) {
    const { body } = await team.api.post("/emails/batch", items.slice(at, at + 100))
    ids.push(...body.data.map(({ id }: { id: string }) => id))
  }
  await env.DB.prepare(
    "update emails set status = ?2, due_at = null, sent_at = ?3 where team_id = ?1",
  )
    .bind(team.id, status, Date.now())
    .run()
  return { team, ids }
}

async function count(sql: string, { id }: Team) {
  const row = await env.DB.prepare(`select count(*) as count from ${sql}`).bind(id).first()
  return row?.count
}
const contentsOf = (team: Team) => count("email_contents where team_id = ?", team)
const packedOf = (team: Team) => count("emails where team_id = ? and pack is not null", team)
const packsOf = (team: Team) => count("packs where team_id = ?", team)
const objectsOf = async ({ id }: Team) =>
  (await env.CONTENT.list({ prefix: `packs/${id}/` })).objects

async function readContent(team: Team, id: string) {
  const cookie = await sessionOf(team.id, "member")
  return request("GET", `/dashboard/api/emails/${id}/content`, undefined, { cookie })
}

async function expectReadable({ team, ids }: Sent) {
  for (const [index, id] of ids.entries()) {
    expect((await readContent(team, id)).body).toMatchObject({ text: `Text ${index}` })
  }
}

/** A bucket that does something beside one kind of call. */
const bucketWith = (
  changes: Partial<Record<"get" | "put" | "delete", (...args: never[]) => unknown>>,
) =>
  new Proxy(env.CONTENT, {
    get: (bucket, name) => changes[name as "get"] ?? Reflect.get(bucket, name).bind(bucket),
  })

describe("contents of settled emails", () => {
  it("move into one object, and are read from there", async () => {
    const sent = await accept(3)
    await moveContents(inThreeHours())
    expect([await contentsOf(sent.team), await packedOf(sent.team)]).toEqual([0, 3])
    expect(await objectsOf(sent.team)).toHaveLength(1)
    await expectReadable(sent)
    const { body } = await sent.team.api.get(`/emails/${sent.ids[0]}/explain`)
    expect(JSON.stringify(body)).not.toContain("purged")
  })

  it("are read by one round trip and one ranged read", async () => {
    const { team, ids } = await accept(2)
    await moveContents(inThreeHours())
    const cookie = await sessionOf(team.id, "member")
    const path = `/dashboard/api/emails/${ids[1]}/content`
    const read = () => request("GET", path, undefined, { cookie })
    await read()
    const meter = await metered(read)
    expect(meter).toMatchObject({ roundTrips: 1 + PERSON_ROUND_TRIPS, rowsWritten: 0 })
    const [object] = await objectsOf(team)
    const row = await env.DB.prepare("select * from emails where id = ?").bind(ids[1]).first()
    expect(Number(row?.pack_offset) + Number(row?.pack_length)).toBe(object?.size)
  })

  it.each([
    ["queued", 0, 1],
    ["scheduled", 0, 1],
    ["sending", 0, 1],
    ["sent", 0, 1],
    ["sent", 2 * HOUR_MS, 0],
    ["bounced", 0, 0],
    ["failed", 0, 0],
    ["cancelled", 0, 0],
    ["complained", 0, 0],
  ])("of a %s email, %i ms ago", async (status, ago, left) => {
    const { team } = await accept(1, {}, status)
    const work = inThreeHours()
    await env.DB.prepare("update emails set sent_at = ?2, not_before = 9e15 where team_id = ?1")
      .bind(team.id, work.now() - ago)
      .run()
    await moveContents(work)
    expect(await contentsOf(team)).toBe(left)
  })

  it("move a day later where the email settled late", async () => {
    const { team } = await accept(2, {}, "scheduled")
    await moveContents(inThreeHours())
    await env.DB.prepare("update emails set status = 'delivered' where team_id = ?")
      .bind(team.id)
      .run()
    await moveContents(inThreeHours())
    expect(await packedOf(team)).toBe(0)
    await purgeExpired(later(2 * DAY_MS))
    await moveContents(later(2 * DAY_MS))
    expect(await packedOf(team)).toBe(2)
  })

  it.each([
    ["sent", "update emails set sent_at = ?2 where team_id = ?1"],
    [
      "cancelled",
      `insert into email_events (team_id, email_id, id, type, occurred_at)
       select team_id, id, 'evt_1', 'cancelled', ?2 from emails where team_id = ?1`,
    ],
  ])(
    "stay where the email was %s days after its acceptance, when a pack would soon expire",
    async (_, end) => {
      const { team } = await accept(2)
      await env.DB.batch([
        env.DB.prepare("update emails set sent_at = null where team_id = ?").bind(team.id),
        env.DB.prepare(end).bind(team.id, Date.now() + 2 * DAY_MS),
      ])
      await moveContents(later(4 * DAY_MS))
      expect([await contentsOf(team), await packedOf(team)]).toEqual([2, 0])
    },
  )

  it("wait until the team's oldest is two hours old", async () => {
    const sent = await accept(1)
    await moveContents(later(1.9 * HOUR_MS))
    expect(await contentsOf(sent.team)).toBe(1)
  })

  it("stay objects of their own where they are large", async () => {
    const html = Array.from({ length: 4000 }, () => crypto.randomUUID()).join("")
    const { team, ids } = await accept(1, { html })
    await moveContents(inThreeHours())
    expect([await contentsOf(team), await packsOf(team)]).toEqual([1, 0])
    expect((await readContent(team, String(ids[0]))).body.html).toBe(html)
  })

  it("fill packs of a thousand, for two rows an email", async () => {
    const { team } = await accept(1_100)
    const meter = await metered(() => moveContents(inThreeHours()))
    expect([await contentsOf(team), await packedOf(team)]).toEqual([0, 1_100])
    expect(await packsOf(team)).toBe(2)
    expect(meter.rowsWritten).toBeLessThan(2 * 1_100 + 30)
    expect(meter.rowsRead).toBeLessThan(20 * 1_100)
  })

  it("fill packs of four megabytes", async () => {
    const text = Array.from({ length: 1_200 }, () => crypto.randomUUID()).join("")
    const { team } = await accept(190, { text })
    await moveContents(inThreeHours())
    const sizes = (await objectsOf(team)).map(({ size }) => size)
    expect(sizes).toHaveLength(2)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4 * 1024 * 1024)
    expect(await contentsOf(team)).toBe(0)
  })

  it("of different days are in different packs", async () => {
    const { team, ids } = await accept(2)
    const yesterday = newId("email", Date.now() - DAY_MS)
    await env.DB.batch([
      env.DB.prepare("update emails set id = ? where id = ?").bind(yesterday, ids[0]),
      env.DB.prepare("update email_contents set email_id = ? where email_id = ?").bind(
        yesterday,
        ids[0],
      ),
    ])
    await moveContents(inThreeHours())
    expect(await objectsOf(team)).toHaveLength(2)
    await expectReadable({ team, ids: [yesterday, String(ids[1])] })
  })
})

describe.each([
  ["before", false],
  ["after", true],
])("a process that dies %s any call", (_, isDone) => {
  it("of a move loses nothing, and what it left is deleted later", async () => {
    let step = 0
    for (let isDead = true; isDead; step++) {
      const sent = await accept(2)
      isDead = await dieAt(step, isDone, moveContents)
      await expectReadable(sent)
      await moveContents(inThreeHours())
      await deleteLostPacks(later(5 * HOUR_MS))
      const [objects, packs] = [await objectsOf(sent.team), await packsOf(sent.team)]
      expect([step, objects.length, packs]).toEqual([step, 1, 1])
      await expectReadable(sent)
    }
    expect(step).toBeGreaterThan(5)
  })

  it("of an erasure leaves the rest to the next sweep", async () => {
    let step = 0
    for (let isDead = true; isDead; step++) {
      const { team, ids } = await accept(2)
      await moveContents(inThreeHours())
      await env.DB.prepare("insert into erasures (team_id, email, requested_at) values (?, ?, 0)")
        .bind(team.id, "reader-1@example.com")
        .run()
      forgetWrites()
      isDead = await dieAt(step, isDone, sweepErasures)
      forgetWrites()
      expect((await readContent(team, String(ids[0]))).body.text).toBe("Text 0")
      await sweepErasures(inThreeHours())
      expect([step, await texts(team)]).toEqual([step, ["Text 0"]])
      expect(await count("erasures where team_id = ?", team)).toBe(0)
    }
    expect(step).toBeGreaterThan(8)
  })
})

describe("at the same time", () => {
  it("two runs neither lose nor double a content", async () => {
    const sent = await accept(250)
    await Promise.all([moveContents(inThreeHours()), moveContents(inThreeHours())])
    expect([await contentsOf(sent.team), await packedOf(sent.team)]).toEqual([0, 250])
    const [packs, objects] = [await packsOf(sent.team), await objectsOf(sent.team)]
    expect([packs, objects.length]).toEqual([1, 1])
    await expectReadable({ ...sent, ids: sent.ids.slice(0, 5) })
  })

  it("a reader finds the content all the time", async () => {
    const { team, ids } = await accept(1)
    const cookie = await sessionOf(team.id, "member")
    const path = `/dashboard/api/emails/${ids[0]}/content`
    const isMoved = moveContents(inThreeHours()).then(() => true)
    let moved: boolean | undefined
    isMoved.then((done) => {
      moved = done
    })
    for (let reads = 0; reads < 10 || !moved; reads++) {
      const { status, body } = await request("GET", path, undefined, { cookie })
      expect([status, body.text]).toEqual([200, "Text 0"])
    }
  })

  it("an erasure between writing a pack and its commit wins", async () => {
    const sent = await accept(3)
    const CONTENT = bucketWith({
      put: async (...args: Parameters<R2Bucket["put"]>) => {
        const object = await env.CONTENT.put(...args)
        await erase(sent.team, "reader-1@example.com")
        return object
      },
    })
    const work = inThreeHours(CONTENT)
    await moveContents(work)
    expect(await packedOf(sent.team)).toBe(2)
    expect(await objectsOf(sent.team)).toHaveLength(1)
    expect(await texts(sent.team)).not.toContain("Text 1")
    expect((await readContent(sent.team, String(sent.ids[1]))).status).toBe(404)
    await expectReadable({ ...sent, ids: sent.ids.slice(0, 1) })
  })

  it("a commit before the erasure reads the contents is erased in the pack", async () => {
    const { team, ids } = await accept(3)
    const work = inThreeHours()
    const CONTENT = bucketWith({
      // The erasure has read the emails by now, and deletes what is large.
      delete: async (keys: string[]) => {
        await moveContents(work)
        return env.CONTENT.delete(keys)
      },
    })
    const large = Array.from({ length: 4000 }, () => crypto.randomUUID()).join("")
    await team.api.post("/emails", { ...hello(team), to: "reader-1@example.com", html: large })
    await erase(team, "reader-1@example.com", { ...work, env: { ...work.env, CONTENT } })
    expect(await texts(team)).not.toContain("Text 1")
    expect((await readContent(team, String(ids[1]))).status).toBe(404)
  })

  it("two erasures of one pack erase both", async () => {
    const { team } = await accept(4)
    await moveContents(inThreeHours())
    await Promise.all([1, 2].map((one) => erase(team, `reader-${one}@example.com`)))
    expect(await texts(team)).toEqual(["Text 0", "Text 3"])
  })
})

describe("an erasure", () => {
  it("removes the content from the pack, and others read theirs", async () => {
    const { team, ids } = await accept(3)
    await moveContents(inThreeHours())
    const [before] = await objectsOf(team)
    await erase(team, "reader-1@example.com")
    expect(await texts(team)).toEqual(["Text 0", "Text 2"])
    expect((await objectsOf(team))[0]?.size).toBe(before?.size)
    expect((await readContent(team, String(ids[1]))).status).toBe(404)
    for (const index of [0, 2]) {
      const { body } = await readContent(team, String(ids[index]))
      expect(body.text).toBe(`Text ${index}`)
    }
    expect(await packedOf(team)).toBe(2)
  })

  it("waits for its turn where the object was written a moment ago", async () => {
    const { team } = await accept(3)
    const work = inThreeHours()
    await moveContents(work)
    const until = Date.now() + SECOND_MS
    let refused = 0
    const CONTENT = bucketWith({
      put: async (...args: Parameters<R2Bucket["put"]>) => {
        if (Date.now() >= until) return env.CONTENT.put(...args)
        refused++
        throw new Error("put: Reduce your concurrent request rate for the same object. (10058)")
      },
    })
    await erase(team, "reader-1@example.com", { ...work, env: { ...work.env, CONTENT } })
    expect(await texts(team)).toEqual(["Text 0", "Text 2"])
    expect(refused).toBeLessThanOrEqual(2)
  })

  it("that breaks off is finished by the sweep", async () => {
    const { team } = await accept(3)
    const work = inThreeHours()
    await moveContents(work)
    const CONTENT = bucketWith({ put: async () => fail() })
    const broken = { ...work, env: { ...work.env, CONTENT } }
    await expect(erase(team, "reader-1@example.com", broken)).rejects.toThrow("died")
    await sweepErasures(work)
    expect(await texts(team)).toEqual(["Text 0", "Text 2"])
  })

  it("of mail in many packs goes on in the next sweep", async () => {
    const { team, ids } = await accept(25, { to: "ada@example.com" })
    const work = inThreeHours()
    for (const id of ids) {
      await env.DB.prepare(
        "update emails set status = iif(id = ?2, 'delivered', 'queued') where team_id = ?1",
      )
        .bind(team.id, id)
        .run()
      await env.DB.prepare("delete from purge_positions where team_id = ?").bind(team.id).run()
      await moveContents(work)
    }
    expect(await objectsOf(team)).toHaveLength(25)
    await env.DB.prepare("update emails set status = 'delivered' where team_id = ?")
      .bind(team.id)
      .run()
    await erase(team, "ada@example.com")
    expect(await texts(team)).toHaveLength(5)
    await sweepErasures(work)
    expect(await texts(team)).toEqual([])
    expect(await count("erasures where team_id = ?", team)).toBe(0)
    expect(await packedOf(team)).toBe(0)
  })
})

describe("packs", () => {
  it("are deleted once their day has expired, and no email is read for it", async () => {
    const { team, ids } = await accept(120)
    await moveContents(inThreeHours())
    await purgeExpired(later(30 * DAY_MS))
    expect([await packsOf(team), (await objectsOf(team)).length]).toEqual([1, 1])
    await purgeExpired(later(32 * DAY_MS - HOUR_MS))
    const meter = await metered(() => purgeExpired(later(32 * DAY_MS)))
    expect([await packsOf(team), (await objectsOf(team)).length]).toEqual([0, 0])
    expect(meter.rowsWritten).toBeLessThan(10)
    expect((await readContent(team, String(ids[0]))).status).toBe(404)
    expect((await team.api.get(`/emails/${ids[0]}`)).body.status).toBe("delivered")
  })

  it("that are written while their day expires are deleted a little later", async () => {
    const { team } = await accept(2)
    const CONTENT = bucketWith({
      put: async (...args: Parameters<R2Bucket["put"]>) => {
        await purgeExpired(later(32 * DAY_MS))
        await env.CONTENT.put(...args)
        return fail()
      },
    })
    await expect(moveContents(inThreeHours(CONTENT))).rejects.toThrow("died")
    expect([await packsOf(team), (await objectsOf(team)).length]).toEqual([1, 1])
    await deleteLostPacks(later(32 * DAY_MS))
    expect([await packsOf(team), (await objectsOf(team)).length]).toEqual([0, 0])
  })

  it("are deleted with their team, and what is still being written a little later", async () => {
    const { team } = await accept(2)
    const work = inThreeHours()
    await moveContents(work)
    const open = `packs/${team.id}/2026-11-23/open`
    await env.CONTENT.put(open, "later")
    await env.DB.prepare("insert into packs values (?, ?, ?)").bind(team.id, open, work.now()).run()
    await env.DB.batch([
      env.DB.prepare("delete from teams where id = ?").bind(team.id),
      env.DB.prepare("insert into deleted_teams (id, deleted_at) values (?, ?)").bind(team.id, 0),
    ])
    await sweepDeletedTeams(work)
    expect((await objectsOf(team)).map(({ key }) => key)).toEqual([open])
    await deleteLostPacks(later(5 * HOUR_MS))
    expect([await packsOf(team), (await objectsOf(team)).length]).toEqual([0, 0])
  })
})

/** Runs until a call of the database or the bucket, which is done or not. Says whether there was one. */
async function dieAt(step: number, isDone: boolean, run: (work: Work) => Promise<void>) {
  let calls = 0
  let isDead = false
  const call = async <T>(_: string, work: () => Promise<T>): Promise<T> => {
    if (isDead || calls++ < step) return isDead ? fail() : work()
    isDead = true
    if (isDone) await work()
    return fail()
  }
  const journal = {
    noteStatement() {},
    noteCommit() {},
    selectNews: () => env.DB.prepare("select 1"),
  } as unknown as Journal
  const invocation = { call, faults: () => [] } as unknown as Invocation
  const DB = faultyD1(env.DB, invocation, journal)
  const CONTENT = new Proxy(env.CONTENT, {
    get:
      (bucket, name: "get") =>
      (...args: Parameters<R2Bucket["get"]>) =>
        call(name, () => bucket[name](...args)),
  })
  const silence = vi.spyOn(console, "error").mockImplementation(() => {})
  const settings = { DB, CONTENT } as never
  await run(later(3 * HOUR_MS, { settings })).catch(() => {})
  silence.mockRestore()
  return isDead
}

const hello = ({ domain }: Team) => ({
  from: `sender@${domain}`,
  to: "someone@example.com",
  subject: "Hello",
  text: "Hi",
})

function fail(): never {
  throw new Error("died")
}

const erase = (team: Team, address: string, work = inThreeHours()) =>
  eraseAddress(createKeyCtx(work, sha256Hex(team.api.key), "full"), address)

/** The texts that all objects of the team have, in gzip that begins anywhere. */
async function texts(team: Team): Promise<string[]> {
  const found: string[] = []
  for (const { key } of await objectsOf(team)) {
    const object = await env.CONTENT.get(key)
    const bytes = Buffer.from((await object?.arrayBuffer()) ?? new ArrayBuffer(0))
    for (let at = bytes.indexOf(GZIP); at !== -1; at = bytes.indexOf(GZIP, at + 1)) {
      const members = gunzipSync(bytes.subarray(at)).toString()
      found.push(/"text":"(.*?)"/.exec(members)?.[1] ?? "")
    }
  }
  return found
}
