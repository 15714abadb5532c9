import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { MINUTE_MS } from "../../../src/lib/time.ts"
import type { ReceivedRow } from "../../../src/worker/received/table.ts"
import {
  claimReceived,
  LEASE_MS,
  MAX_ATTEMPTS,
  releaseReceived,
} from "../../../src/worker/received/taking/claim.ts"
import { takeMessage } from "../../../src/worker/received/taking/take.ts"
import { workOff } from "../../../src/worker/received/taking/work-off.ts"
import { createDriver } from "../../support/driver.ts"
import { metered } from "../../support/meter.ts"
import { makeInbox, messageTo } from "../../support/receiving.ts"
import { makeTeam, type Team } from "../../support/team.ts"

type Driver = ReturnType<typeof createDriver>

/** A message whose hint is in the driver's queue: no other consumer hears of it. */
async function take({ work }: Driver, team: Team, inbox: { id: string; address: string }) {
  const message = messageTo(inbox.address)
  const deferred: Promise<unknown>[] = []
  const { id } = await takeMessage(
    { ...work, defer: (step) => deferred.push(step) },
    {
      teamId: team.id,
      inboxId: inbox.id,
      envelope: { from: "", to: inbox.address },
      message: new Blob([message]).stream(),
      size: message.length,
    },
  )
  await Promise.all(deferred)
  return id
}

const parsedOf = async (id: string) =>
  env.DB.prepare("select parsed from received_emails where id = ?").bind(id).first("parsed")

it("the minute works off mail whose message was lost", async () => {
  const driver = createDriver()
  const team = await makeTeam()
  const id = await take(driver, team, await makeInbox(team))
  expect(driver.queues.RECEIVED.sent).toHaveLength(1)
  driver.lose()
  expect(await parsedOf(id)).toBeNull()
  await driver.pass()
  expect(await parsedOf(id)).toBe(1)
})

it("one consumer at a time has a message, and another one after its lease", async () => {
  const driver = createDriver()
  const team = await makeTeam()
  const id = await take(driver, team, await makeInbox(team))
  const claimed = await claimReceived(driver.work, 100)
  expect(claimed.map((row) => row.id)).toContain(id)
  await workOff(driver.work)
  expect(await parsedOf(id)).toBeNull()
  driver.clock.advance(LEASE_MS + 1)
  await workOff(driver.work)
  expect(await parsedOf(id)).toBe(1)
})

it("a consumer works off more than it claims at once", async () => {
  const driver = createDriver()
  const team = await makeTeam()
  const inbox = await makeInbox(team)
  const ids = []
  for (let count = 0; count < 11; count++) ids.push(await take(driver, team, inbox))
  await workOff(driver.work)
  expect(await Promise.all(ids.map(parsedOf))).toEqual(ids.map(() => 1))
})

it("a consumer that is late gives up nothing of the one after it", async () => {
  const driver = createDriver()
  const team = await makeTeam()
  const id = await take(driver, team, await makeInbox(team))
  const claim = async () =>
    (await claimReceived(driver.work, 100)).find((row) => row.id === id) as ReceivedRow
  const late = await claim()
  driver.clock.advance(LEASE_MS + 1)
  const holder = await claim()
  await releaseReceived(driver.work, late)
  const row = await env.DB.prepare(
    "select leased_until, attempts from received_emails where id = ?",
  )
    .bind(id)
    .first()
  expect(row).toEqual({ leased_until: holder.leasedUntil, attempts: 2 })
  driver.clock.advance(LEASE_MS + 1)
  await workOff(driver.work)
})

it("a message that ends each process is kept as it came", async () => {
  const driver = createDriver()
  const team = await makeTeam()
  const id = await take(driver, team, await makeInbox(team))
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await claimReceived(driver.work, 100)
    driver.clock.advance(LEASE_MS + 1)
  }
  await workOff(driver.work)
  expect((await team.api.get(`/received-emails/${id}`)).body).toMatchObject({
    parsed: false,
    threadId: expect.any(String),
  })
})

it("a message that ends each process takes no other one along", async () => {
  const driver = createDriver()
  const team = await makeTeam()
  const inbox = await makeInbox(team)
  const ids: string[] = []
  for (let count = 0; count < 4; count++) ids.push(await take(driver, team, inbox))
  const died = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const get = (key: string) => {
      if (!key.endsWith(ids[1] as string)) return env.CONTENT.get(key)
      resolve()
      return new Promise(() => {})
    }
    const CONTENT = { get } as unknown as R2Bucket
    return Promise.race([
      promise,
      workOff({ ...driver.work, env: { ...driver.work.env, CONTENT } }),
    ])
  }
  for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt++) {
    await died()
    driver.clock.advance(LEASE_MS + 1)
  }
  await workOff(driver.work)
  expect(await Promise.all(ids.map(parsedOf))).toEqual([1, 0, 1, 1])
})

it("a message whose rows the database refuses is kept as it came", async () => {
  let refuses = false
  const driver = createDriver(() => {
    if (refuses) throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG")
    return false
  })
  const team = await makeTeam()
  const id = await take(driver, team, await makeInbox(team))
  refuses = true
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await workOff(driver.work)
    driver.clock.advance(MINUTE_MS)
  }
  refuses = false
  await workOff(driver.work)
  expect(await parsedOf(id)).toBe(0)
})

it("a fault of the bucket costs no attempt", async () => {
  const driver = createDriver()
  const team = await makeTeam()
  const id = await take(driver, team, await makeInbox(team))
  const CONTENT = { get: () => Promise.reject(new Error("away")) } as unknown as R2Bucket
  for (let attempt = 0; attempt < MAX_ATTEMPTS + 2; attempt++) {
    await workOff({ ...driver.work, env: { ...driver.work.env, CONTENT } })
    driver.clock.advance(LEASE_MS)
  }
  await workOff(driver.work)
  expect(await parsedOf(id)).toBe(1)
})

it("refuses a message for lack of room, also if the minute ends before it answers", async () => {
  const driver = createDriver()
  const team = await makeTeam()
  const inbox = await makeInbox(team)
  const fill = () => Promise.all(Array.from({ length: 60 }, () => take(driver, team, inbox)))
  const start = driver.clock.now()
  let calls = 0
  // The first two look for room, and three belong to the batch that would store it.
  const now = () => (++calls > 5 ? start + 61_000 : start)
  const message = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await fill()
      controller.enqueue(Buffer.from("a: b"))
      controller.close()
    },
  })
  const envelope = { from: "", to: inbox.address }
  const into = { teamId: team.id, inboxId: inbox.id, envelope, message, size: 4 }
  const answer = takeMessage({ ...driver.work, now }, into)
  await expect(answer).rejects.toMatchObject({ code: "rate_limited" })
})

it("a crash at any statement leaves one record, in one thread, told of once", async () => {
  for (let crashAt = 1; crashAt <= 6; crashAt++) {
    let calls = 0
    const driver = createDriver(() => ++calls === crashAt)
    const team = await makeTeam()
    await team.api.post("/webhooks", {
      url: "https://receiver.example.com/hook",
      events: ["email.received"],
    })
    const inbox = await makeInbox(team)
    const message = new Blob([messageTo(inbox.address)])
    const attempt = async () => {
      const { work } = driver
      await takeMessage(work, {
        teamId: team.id,
        inboxId: inbox.id,
        envelope: { from: "", to: inbox.address },
        message: message.stream(),
        size: message.size,
      }).catch(() => {})
      await workOff(work).catch(() => {})
      driver.lose()
      driver.clock.advance(LEASE_MS + 1)
    }
    for (let tries = 0; tries < 3; tries++) await attempt()
    const { body } = await team.api.get("/received-emails")
    expect(body.data).toEqual([expect.objectContaining({ parsed: true })])
    const { body: threads } = await team.api.get("/threads")
    expect(threads.data).toEqual([expect.objectContaining({ messageCount: 1 })])
    const { body: events } = await team.api.get("/events?after=0")
    expect(events.data.map(({ type }: { type: string }) => type)).toEqual(["email.received"])
  }
})

it("a message costs 8 rows from its arrival to its thread, beside the change of the stream", async () => {
  const driver = createDriver()
  const team = await makeTeam()
  const inbox = await makeInbox(team)
  await workOff(driver.work)
  const { rowsWritten } = await metered(async () => {
    await take(driver, team, inbox)
    await workOff(driver.work)
  })
  expect(rowsWritten).toBeLessThanOrEqual(8 + 1)
})

it("drops nothing of a message that the queue hands over twice", async () => {
  const driver = createDriver()
  const team = await makeTeam()
  const id = await take(driver, team, await makeInbox(team))
  driver.queues.RECEIVED.sent.push(...driver.queues.RECEIVED.sent)
  await driver.drain(["RECEIVED"])
  expect(await parsedOf(id)).toBe(1)
  expect((await team.api.get("/threads")).body.data).toHaveLength(1)
})
