import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { claimDue } from "../../../src/worker/webhooks/deliveries/claim.sql.ts"
import { LEASE_MS } from "../../../src/worker/webhooks/deliveries/due.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { testWork } from "../../support/work.ts"
import { dispatch, domainEvent, happen, setUp, subscribe, subscribeNew } from "./carrying.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

it.each([
  { consumer: "an open webhook", make: subscribe },
  { consumer: "a webhook that has rested", make: subscribeNew },
])("no attempt for $consumer starts when its lease ends soon", async ({ make }) => {
  const { team, clock, work, hints } = await setUp()
  const receiver = internet.receiver()
  const { id } = await make(team, receiver.url)
  await happen(work, domainEvent(work, team))
  const refs = [{ teamId: team.id, webhookId: id }]
  const slow = interruptedDb(/update "deliveries"/, async () => clock.advance(40_000))
  hints()
  await dispatch(testWork({ clock, settings: { ...work.env, DB: slow } }).work, refs)
  expect(receiver.received()).toHaveLength(0)
  expect(hints()).toMatchObject([{ delaySeconds: 0 }])

  await dispatch(work, refs)
  expect(receiver.received()).toHaveLength(1)
  const row = await env.DB.prepare("select * from deliveries where webhook_id = ?").bind(id).first()
  expect(row).toMatchObject({ state: "succeeded", due_at: null })
  expect(JSON.parse(String(row?.attempts))).toHaveLength(1)
})

it("a claim that the database runs late takes no delivery of another consumer", async () => {
  const { team, clock, work } = await setUp()
  const { id } = await subscribe(team, internet.receiver().url)
  await happen(work, domainEvent(work, team))
  const ref = { teamId: team.id, webhookId: id }
  const claimOther = async () => {
    clock.advance(LEASE_MS - 4_000)
    expect((await claimDue(work, ref)).claims).toHaveLength(1)
  }
  const DB = interruptedDb(/update "deliveries"/, claimOther)
  const late = testWork({ clock, settings: { ...work.env, DB } }).work
  expect((await claimDue(late, ref)).claims).toHaveLength(0)
})

const webhookRow = (id: string) =>
  env.DB.prepare("select failing_since, probe_at, enabled from webhooks where id = ?")
    .bind(id)
    .first()

describe("an old failure says nothing about a webhook", () => {
  it.each([
    { consumer: "an open webhook", make: subscribe },
    { consumer: "a webhook that has rested", make: subscribeNew },
  ])("if its record comes after the next consumer's, for $consumer", async ({ make }) => {
    const { team, clock, work } = await setUp()
    let calls = 0
    const receiver = internet.receiver(() => {
      calls++
      if (calls === 1) clock.advance(3_000)
      return new Response(null, { status: calls === 1 ? 500 : 200 })
    })
    const { id } = await make(team, receiver.url)
    await happen(work, domainEvent(work, team))
    const refs = [{ teamId: team.id, webhookId: id }]
    const slow = interruptedDb(/update deliveries set/, async () => {
      clock.advance(LEASE_MS)
      await dispatch(work, refs)
    })
    await dispatch(testWork({ clock, settings: { ...work.env, DB: slow } }).work, refs)
    expect(calls).toBe(2)
    expect(await webhookRow(id)).toEqual({ failing_since: null, probe_at: null, enabled: 1 })
  })

  it("if the webhook was disabled and enabled during the attempt", async () => {
    const { team, work } = await setUp()
    const receiver = internet.receiver(async () => {
      for (const enabled of [false, true]) await team.api.patch(`/webhooks/${id}`, { enabled })
      return new Response(null, { status: 500 })
    })
    const { id } = await subscribe(team, receiver.url)
    await happen(work, domainEvent(work, team))
    await dispatch(work, [{ teamId: team.id, webhookId: id }])
    expect(receiver.received()).toHaveLength(1)
    expect(await webhookRow(id)).toMatchObject({ failing_since: null, enabled: 1 })
  })
})
