import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { firstIdAt } from "../../../src/lib/id.ts"
import { purgeExpired } from "../../../src/worker/emails/retention/retention.ts"
import { sweepDeliveries } from "../../../src/worker/webhooks/deliveries/sweep.ts"
import { purgeEvents } from "../../../src/worker/webhooks/events/purge.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import {
  DAY,
  dispatch,
  domainEvent,
  endRest,
  HOUR,
  happen,
  never,
  setUp,
  subscribe,
} from "./carrying.ts"

/** More than a whole sweep may take. */
const MASS = 30_000

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

const NUMBERS = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MASS})`

const count = (table: string, teamId: string) =>
  env.DB.prepare(`select count(*) as n from ${table} where team_id = ?`)
    .bind(teamId)
    .first<number>("n")

/** Deliveries of a webhook that were due an hour ago, and no message came. */
const addMass = (team: Team, webhookId: string, dueAt: number | null, createdAt: number) =>
  env.DB.prepare(
    `${NUMBERS} insert into deliveries (team_id, webhook_id, id, sequence, event_id, event_type,
       state, not_before, due_at, created_at)
     select ?1, ?2, substr(?3, 1, 14) || printf('%016d', i), i, 'evt_' || i, 'domain.verified',
       iif(?4 is null, 'succeeded', 'pending'), ?5, ?4, ?5 from n`,
  )
    .bind(team.id, webhookId, firstIdAt("delivery", createdAt), dueAt, createdAt)
    .run()

/** Two teams, of which the first has the mass: it stands before the other in every order. */
async function twoTeams() {
  const first = await setUp()
  const other = await makeTeam()
  const massive = await subscribe(first.team, internet.receiver().url)
  const webhook = await subscribe(other, internet.receiver().url)
  return { ...first, other, massive, webhook }
}

describe("a team with more work than one sweep takes does not delay the other teams'", () => {
  it("due deliveries", async () => {
    const { team, other, massive, webhook, clock, work, carried } = await twoTeams()
    await happen(work, domainEvent(work, other))
    await carried()
    await addMass(team, massive.id, work.now() - HOUR, work.now() - HOUR)
    clock.advance(DAY / 24)
    await sweepDeliveries(work)
    const swept = (await carried()).map(({ ref }) => ref.webhookId)
    expect(swept.filter((id) => id === webhook.id)).toHaveLength(1)
    expect(swept.filter((id) => id === massive.id).length).toBeGreaterThan(4_000)
  })

  it("old deliveries and events", async () => {
    const { team, other, massive, clock, work } = await twoTeams()
    await happen(work, domainEvent(work, other))
    await addMass(team, massive.id, null, work.now())
    clock.advance(31 * DAY)
    await purgeEvents(work)
    expect(await count("deliveries", other.id)).toBe(0)
    expect(await count("events", other.id)).toBe(0)
    expect(await count("deliveries", team.id)).toBeLessThan(MASS - 4_000)
  })

  it("old contents and records of emails", async () => {
    const { team, other, clock, work } = await twoTeams()
    for (const [one, size] of [
      [team, MASS],
      [other, 1],
    ] as const) {
      const id = `substr('${firstIdAt("email", work.now())}', 1, 13) || printf('%016d', i)`
      await env.DB.batch([
        env.DB.prepare(
          `${NUMBERS} insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at, not_before)
           select ?, ${id}, 'delivered', '{"address":"a@b.co"}', '[]', 's', 'dom', 0, 0 from n where i <= ?`,
        ).bind(one.id, size),
        env.DB.prepare(
          `${NUMBERS} insert into email_contents (team_id, email_id, body)
           select ?, ${id}, 'x' from n where i <= ?`,
        ).bind(one.id, size),
      ])
    }
    clock.advance(400 * DAY)
    await purgeExpired(work)
    for (const table of ["email_contents", "emails"]) {
      expect(await count(table, other.id)).toBe(0)
      expect(await count(table, team.id)).toBeLessThan(MASS - 4_000)
    }
  })
})

describe("an event that is reported a month after it happened", () => {
  it("is kept for its receivers", async () => {
    const { team, work } = await setUp()
    await subscribe(team, internet.receiver().url)
    const id = firstIdAt("event", work.now() - 31 * DAY)
    await happen(work, domainEvent(work, team, { id }))
    await purgeEvents(work)
    expect(await count("events", team.id)).toBe(1)
  })
})

describe("deleting a webhook", () => {
  it("deletes a bounded number of deliveries, and the sweep deletes the others", async () => {
    const { team, work, carried, dashboard } = await setUp()
    const { id } = await subscribe(team, internet.receiver().url)
    await addMass(team, id, work.now() - HOUR, work.now() - HOUR)
    await happen(work, domainEvent(work, team))
    const [{ ref } = never()] = await carried()
    const meter = await metered(async () => {
      expect((await team.api.delete(`/webhooks/${id}`)).status).toBe(204)
    })
    expect(meter.rowsWritten).toBeLessThanOrEqual(2_000)
    expect(meter.rowsRead).toBeLessThanOrEqual(5_000)
    expect(await count("deliveries", team.id)).toBeGreaterThan(0)
    expect((await dashboard("GET", `/deliveries/${ref.id}`)).status).toBe(404)
    await sweepDeliveries(work)
    expect((await carried()).filter(({ ref }) => ref.webhookId === id)).toEqual([])
    while ((await count("deleted_webhooks", team.id)) !== 0) await purgeEvents(work)
    expect(await count("deliveries", team.id)).toBe(0)
  })
})

describe("disabling a webhook", () => {
  async function disabled() {
    const set = await setUp()
    const receiver = internet.receiver()
    const { id } = await subscribe(set.team, receiver.url)
    await happen(set.work, domainEvent(set.work, set.team))
    const [{ ref } = never()] = await set.carried()
    await addMass(set.team, id, set.work.now() - HOUR, set.work.now() - HOUR)
    const meter = await metered(() => set.team.api.patch(`/webhooks/${id}`, { enabled: false }))
    const left = () =>
      env.DB.prepare("select count(*) as n from deliveries where webhook_id = ? and state = ?")
        .bind(id, "pending")
        .first<number>("n")
    return { ...set, id, ref, receiver, meter, left }
  }

  it("fails a bounded number of deliveries, and the sweep fails the others", async () => {
    const { id, work, carried, meter, left, ref, receiver } = await disabled()
    expect(meter.rowsWritten).toBeLessThanOrEqual(2_000)
    expect(meter.rowsRead).toBeLessThanOrEqual(6_000)
    expect(await left()).toBeGreaterThan(0)
    await dispatch(work, [ref])
    for (let minutes = 0; (await left()) !== 0; minutes++) {
      await sweepDeliveries(work)
      expect(minutes).toBeLessThan(3)
    }
    expect((await carried()).filter(({ ref }) => ref.webhookId === id)).toEqual([])
    expect(receiver.received()).toEqual([])
    const isSwept = await env.DB.prepare(
      "select dropped_at < 0 as swept from webhooks where id = ?",
    )
      .bind(id)
      .first("swept")
    expect(isSwept).toBe(1)
  })

  it("drops what was made after a disabling by a clock that was ahead", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver()
    const { id } = await subscribe(team, receiver.url)
    await env.DB.prepare("update webhooks set dropped_at = ? where id = ?")
      .bind(work.now() + HOUR, id)
      .run()
    await happen(work, domainEvent(work, team))
    await sweepDeliveries(work)
    clock.advance(1_000)
    await happen(work, domainEvent(work, team))
    const made = (await carried()).map(({ ref }) => ref).filter((ref) => ref.webhookId === id)
    expect(new Set(made.map((ref) => ref.id)).size).toBe(2)
    await team.api.patch(`/webhooks/${id}`, { enabled: false })
    await dispatch(work, made)
    expect(receiver.received()).toEqual([])
    const { results } = await env.DB.prepare("select state from deliveries where webhook_id = ?")
      .bind(id)
      .all()
    expect(results).toEqual([{ state: "failed" }, { state: "failed" }])
  })

  it("shows all its deliveries as failed at once", async () => {
    const { id, ref, dashboard } = await disabled()
    const failed = { state: "failed", nextAttemptAt: null, completedAt: expect.any(String) }
    const list = await dashboard("GET", `/webhooks/${id}/deliveries`)
    expect(list.body.data[0]).toMatchObject({ ...failed, id: ref.id })
    expect((await dashboard("GET", `/deliveries/${ref.id}`)).body).toMatchObject(failed)
    const health = await dashboard("GET", "/webhook-health")
    expect(health.body.data).toMatchObject([{ pending: 0, failed: 5_500 }])
  })

  it("loses nothing that comes once it is enabled again", async () => {
    const { id, team, work, ref, dashboard, carried, receiver } = await disabled()
    await team.api.patch(`/webhooks/${id}`, { enabled: true })
    await endRest(id)
    await happen(work, domainEvent(work, team))
    const made = (await carried()).map(({ ref }) => ref)
    await dispatch(work, [ref, ...made])
    expect(receiver.received()).toHaveLength(1)
    const since = new Date(work.now() - 1).toISOString()
    const replayed = await dashboard("POST", `/webhooks/${id}/replay-failed`, { since })
    expect(replayed.body).toMatchObject({ queued: 1 })
    const again = await dashboard("POST", `/webhooks/${id}/replay-failed`, { since })
    expect(again.body).toMatchObject({ queued: 0 })
  })
})
