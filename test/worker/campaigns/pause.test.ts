import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { advanceCampaign } from "../../../src/worker/campaigns/sending/fan-out.ts"
import { holdBatches, releaseBatches } from "../../../src/worker/campaigns/sending/held-batches.ts"
import { fanOut, makeCampaign, pause, readers, start } from "../../support/campaign.ts"
import { createDriver } from "../../support/driver.ts"
import { eventually } from "../../support/eventually.ts"
import { cutOffCampaigns, metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"

cutOffCampaigns()

const BY_HAND = "Paused by hand."

const read = async ({ api }: Team, id: string) => (await api.get(`/campaigns/${id}`)).body

async function statuses(campaignId: string): Promise<Record<string, number>> {
  const { results } = await env.DB.prepare(
    "select status, count(*) as count from emails where campaign_id = ? group by status",
  )
    .bind(campaignId)
    .all<{ status: string; count: number }>()
  return Object.fromEntries(results.map(({ status, count }) => [status, count]))
}

async function batches(table: string, campaignId: string): Promise<number> {
  const row = await env.DB.prepare(`select count(*) as count from ${table} where campaign_id = ?`)
    .bind(campaignId)
    .first<{ count: number }>()
  return row?.count ?? 0
}

const becomes = (id: string, expected: Record<string, number>) =>
  eventually(async () => expect(await statuses(id)).toEqual(expected))

const queued = (id: string) => batches("campaign_batches", id)
const held = (id: string) => batches("held_campaign_batches", id)

const handedOver = async ({ id }: Team) =>
  (
    await env.DB.prepare("select count(*) as count from sandbox_messages where team_id = ?")
      .bind(id)
      .first<{ count: number }>()
  )?.count

const post = async ({ api }: Team, id: string, action: string) =>
  await api.post(`/campaigns/${id}/${action}`)

/** As the call does it, but only the test's driver goes on with the campaign. */
const setPaused = (id: string, reason: string | null) =>
  env.DB.prepare("update campaign_runs set paused_reason = ?, due_at = 1 where campaign_id = ?")
    .bind(reason, id)
    .run()

/** All of its emails are queued, and paused. */
async function pauseQueued(count: number) {
  const campaign = await fanOut(readers(count))
  expect((await post(campaign.team, campaign.id, "pause")).status).toBe(200)
  await campaign.driver.pass()
  await campaign.driver.drain()
  return campaign
}

describe("a pause by hand", () => {
  it("stops the fan-out and holds what is queued; each email is sent once after it is resumed", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(1_000))
    const driver = createDriver()
    await start(team, id)
    await driver.pass()
    await driver.takeMessages("CAMPAIGNS")
    await driver.takeMessages("SENDS_BULK")
    const { queued: untaken } = await statuses(id)
    expect(untaken).toBeGreaterThan(0)
    const paused = await post(team, id, "pause")
    expect(paused.body).toMatchObject({ status: "sending", pausedReason: BY_HAND })
    for (let minute = 0; minute < 3; minute++) {
      await driver.pass()
      await driver.drain()
    }
    expect((await statuses(id)).queued).toBe(untaken)
    expect(await queued(id)).toBe(0)

    const resumed = await post(team, id, "resume")
    expect(resumed.body).toMatchObject({ status: "sending", pausedReason: null })
    for (let minute = 0; minute < 3; minute++) {
      await driver.pass()
      await driver.drain()
    }
    await becomes(id, { delivered: 1_000 })
    expect(await handedOver(team)).toBe(1_000)
    expect(await held(id)).toBe(0)
  })

  it("holds the queued emails of a campaign whose fan-out has ended", async () => {
    const { team, id, driver } = await pauseQueued(250)
    expect(await read(team, id)).toMatchObject({ status: "sent", pausedReason: BY_HAND })
    expect(await statuses(id)).toEqual({ queued: 250 })
    await post(team, id, "resume")
    await driver.pass()
    await driver.drain()
    await becomes(id, { delivered: 250 })
    expect(await handedOver(team)).toBe(250)
  })

  it("holds emails that were claimed once and put off", async () => {
    const { team, id, driver } = await fanOut(readers(40, "flaky"))
    await driver.drain()
    expect(await statuses(id)).toEqual({ sending: 40 })
    expect((await post(team, id, "pause")).status).toBe(200)
    for (let minute = 0; minute < 5; minute++) {
      driver.clock.advance(60_000)
      await driver.pass()
      await driver.drain()
    }
    expect(await handedOver(team)).toBe(0)
    expect(await held(id)).toBeGreaterThan(0)
    expect(await statuses(id)).toEqual({ queued: 40 })
    await post(team, id, "resume")
    for (let minute = 0; minute < 5; minute++) {
      driver.clock.advance(60_000)
      await driver.pass()
      await driver.drain()
    }
    await becomes(id, { delivered: 40 })
    expect(await handedOver(team)).toBe(40)
  })

  it("repeats without a change, and so does a resume", async () => {
    const { team, id, driver } = await pauseQueued(3)
    expect((await post(team, id, "pause")).body.pausedReason).toBe(BY_HAND)
    expect((await post(team, id, "resume")).body.pausedReason).toBe(null)
    expect((await post(team, id, "resume")).body.pausedReason).toBe(null)
    await driver.pass()
    await driver.drain()
    await becomes(id, { delivered: 3 })
  })

  it("keeps the brake's reason", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    await pause(team, id)
    expect((await post(team, id, "pause")).body.pausedReason).toBe("bounce")
  })

  it("is refused for a draft, a cancelled campaign, and one without emails in the queue", async () => {
    const team = await makeTeam()
    const draft = await makeCampaign(team)
    for (const action of ["pause", "resume"]) {
      const { status, body } = await post(team, draft, action)
      expect(status).toBe(409)
      expect(body.error.message).toBe(`A campaign in status 'draft' cannot be ${action}d.`)
    }
    const sent = await fanOut(readers(2))
    await sent.driver.drain()
    const done = await post(sent.team, sent.id, "pause")
    expect(done.status).toBe(409)
    expect(done.body.error.message).toBe("No email of this campaign is waiting in the queue.")
    expect((await post(team, "cmp_unknown", "pause")).status).toBe(404)
  })

  it("of a deleted campaign is refused, and holds nothing", async () => {
    const { team, id, driver } = await fanOut(readers(3))
    expect((await team.api.delete(`/campaigns/${id}`)).status).toBe(204)
    expect((await post(team, id, "pause")).status).toBe(404)
    await driver.pass()
    await driver.drain()
    await becomes(id, { delivered: 3 })
  })

  it("does not bring back an email that was cancelled meanwhile, and the campaign completes", async () => {
    const { team, id, driver } = await pauseQueued(1)
    const { body } = await team.api.get(`/emails?campaignId=${id}`)
    expect((await team.api.post(`/emails/${body.data[0].id}/cancel`)).status).toBe(200)
    await driver.pass()
    await driver.drain()
    await becomes(id, { cancelled: 1 })
    expect(await held(id)).toBe(0)
    await eventually(async () => expect((await read(team, id)).pausedReason).toBe(null))
    expect(await handedOver(team)).toBe(0)
  })

  it("ends with a cancellation, which cancels the held emails", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(1_000))
    const driver = createDriver()
    await start(team, id)
    await driver.pass()
    await driver.takeMessages("CAMPAIGNS")
    await post(team, id, "pause")
    await driver.pass()
    await driver.drain()
    expect(await held(id)).toBeGreaterThan(0)
    expect((await post(team, id, "cancel")).body.status).toBe("cancelled")
    await driver.pass()
    await driver.drain()
    expect(Object.keys(await statuses(id))).toEqual(["cancelled"])
    expect([await queued(id), await held(id), await handedOver(team)]).toEqual([0, 0, 0])
  })

  it("ends with a deletion, which cancels the held emails", async () => {
    const { team, id, driver } = await pauseQueued(250)
    expect((await team.api.delete(`/campaigns/${id}`)).status).toBe(204)
    for (let minute = 0; minute < 3; minute++) {
      await driver.pass()
      await driver.drain()
    }
    await becomes(id, { cancelled: 250 })
    expect([await queued(id), await held(id), await handedOver(team)]).toEqual([0, 0, 0])
    const kept = await env.DB.prepare("select id from campaigns where id = ?").bind(id).all()
    expect(kept.results).toEqual([])
  })

  it("loses and doubles nothing when processes die between its steps", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(300))
    let calls = 0
    let callsToDeath = 0
    const driver = createDriver(() => callsToDeath > 0 && ++calls === callsToDeath)
    // A step asks four times: around what it reads and around what it writes.
    const dieAtEachCall = async () => {
      for (const call of [1, 2, 3, 4]) {
        await driver.pass()
        callsToDeath = call
        calls = 0
        await expect(driver.drain(["CAMPAIGNS"])).rejects.toThrow("crashed")
        callsToDeath = 0
        driver.lose()
      }
      await driver.pass()
      await driver.drain(["CAMPAIGNS"])
    }
    await start(team, id)
    await driver.pass()
    await driver.drain(["CAMPAIGNS"])
    await setPaused(id, BY_HAND)
    await dieAtEachCall()
    expect([await queued(id), await held(id)]).toEqual([0, 3])
    await setPaused(id, null)
    await dieAtEachCall()
    await driver.pass()
    await driver.drain()
    await becomes(id, { delivered: 300 })
    expect(await handedOver(team)).toBe(300)
  })

  it("goes on with the rest of many batches after a death", async () => {
    let calls = 0
    const { id } = await fanOut(readers(3))
    await env.DB.batch([
      env.DB.prepare(
        `insert into campaign_batches (team_id, campaign_id, id, emails)
         select r.team_id, r.campaign_id, x.value, '[]'
         from campaign_runs r, json_each(?2) x where r.campaign_id = ?1`,
      ).bind(id, JSON.stringify(Array.from({ length: 60 }, () => newId("contact")))),
      env.DB.prepare(
        "update campaign_runs set paused_reason = ?, due_at = 1 where campaign_id = ?",
      ).bind(BY_HAND, id),
    ])
    let mayDie = false
    const driver = createDriver(() => mayDie && ++calls === 5)
    await driver.pass()
    mayDie = true
    await expect(driver.drain(["CAMPAIGNS"])).rejects.toThrow("crashed")
    driver.lose()
    expect([await queued(id), await held(id)]).toEqual([11, 50])
    await driver.pass()
    await driver.drain(["CAMPAIGNS"])
    expect([await queued(id), await held(id)]).toEqual([0, 61])
  })

  it("moves nothing by a state that has changed since it was read", async () => {
    const { driver, ref, id } = await fanOut(readers(3))
    expect(await holdBatches(driver.work, ref)).toBe(false)
    expect([await queued(id), await held(id)]).toEqual([1, 0])
    await env.DB.prepare("update campaign_runs set paused_reason = ? where campaign_id = ?")
      .bind(BY_HAND, id)
      .run()
    expect(await holdBatches(driver.work, ref)).toBe(true)
    expect(await releaseBatches(driver.work, ref)).toBe(false)
    expect([await queued(id), await held(id)]).toEqual([0, 1])
  })

  it("moves fifty batches a step, in two round trips", async () => {
    const { driver, ref, id } = await fanOut(readers(3))
    await env.DB.prepare("update campaign_runs set paused_reason = ? where campaign_id = ?")
      .bind(BY_HAND, id)
      .run()
    const { roundTrips, rowsWritten } = await metered(() => advanceCampaign(driver.work, ref))
    // A second step finds nothing left.
    expect(roundTrips).toBe(4)
    expect(rowsWritten).toBeLessThanOrEqual(6)
  })
})
