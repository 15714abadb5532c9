import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, it } from "vitest"
import type { Provider } from "../../../../src/worker/providers/provider.ts"
import { makeCampaign } from "../../../support/campaign.ts"
import { dispatchEmails } from "../../../support/dispatch.ts"
import { metered } from "../../../support/meter.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { watchedDb } from "../../../support/watched-db.ts"
import { testWork } from "../../../support/work.ts"

const RATE = 50
const INTERVAL_MS = 1000 / RATE

beforeEach(() => env.DB.prepare("delete from provider_slots").run())

/** Emails that are due now and that no queue knows of. */
async function queued({ api, id: teamId, domain }: Team, count: number) {
  const items = Array.from({ length: count }, () => ({
    from: `sender@${domain}`,
    to: "someone@example.com",
    subject: "Hello",
    text: "Hi",
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  }))
  const { body } = await api.post("/emails/batch", items)
  await env.DB.prepare("update emails set not_before = 0 where team_id = ?").bind(teamId).run()
  return body.data.map(({ id }: { id: string }) => ({ teamId, emailId: id }))
}

function createSender(rate = RATE, DB = env.DB) {
  const { work } = testWork({ settings: { SEND_RATE: String(rate), DB } })
  const handed: { emailId: string; at: number }[] = []
  const provider: Provider = {
    name: "sandbox",
    async send({ emailId }) {
      handed.push({ emailId, at: Date.now() })
      return { ok: true, providerMessageId: emailId, acceptedAt: Date.now() }
    },
  }
  return { work, handed, provider }
}

describe("a provider's rate", () => {
  it("is shared by all consumers", async () => {
    const team = await makeTeam()
    const parts = [await queued(team, 20), await queued(team, 20), await queued(team, 20)]
    const { work, handed, provider } = createSender()
    const from = Date.now()
    await Promise.all(parts.map((refs) => dispatchEmails(work, refs, { provider })))
    expect(handed).toHaveLength(60)
    for (const [index, { at }] of handed.entries()) {
      // a timer may be a millisecond early
      expect(at).toBeGreaterThanOrEqual(from + Math.floor(index * INTERVAL_MS) - 2)
    }
  })

  it.each([true, false])("goes on although a clock was an hour ahead (bulk: %s)", async (bulk) => {
    const team = await makeTeam()
    const { work, handed, provider } = createSender()
    await dispatchEmails(work, await queued(team, 1), { provider, bulk })
    await env.DB.prepare(
      "update provider_slots set next_slot = next_slot + 3600000, next_transactional_slot = next_transactional_slot + 3600000",
    ).run()
    const startedAt = Date.now()
    await dispatchEmails(work, await queued(team, 20), { provider, bulk, until: startedAt + 5_000 })
    expect(handed).toHaveLength(21)
    const next = await env.DB.prepare("select next_slot from provider_slots").first<number>(
      "next_slot",
    )
    expect(next).toBeLessThan(Date.now() + 5_000)
  })

  it.each([true, false])("lets the first email go at once (bulk: %s)", async (bulk) => {
    const team = await makeTeam()
    const { work, handed, provider } = createSender(0.2)
    await dispatchEmails(work, await queued(team, 1), { provider, bulk })
    const next = await env.DB.prepare("select next_slot from provider_slots").first("next_slot")
    expect(handed[0]?.at).toBeLessThan(next as number)
  })

  it("is that of campaigns for a provider of campaigns alone", async () => {
    const refs = await queued(await makeTeam(), 20)
    const { work } = testWork({
      settings: { SEND_RATE: "10000", BULK_PROVIDER: "smtp", BULK_SEND_RATE: String(RATE) },
    })
    const { handed, provider } = createSender()
    const from = Date.now()
    await dispatchEmails(work, refs, { provider: { ...provider, name: "smtp" }, bulk: true })
    expect(handed).toHaveLength(20)
    expect(handed.at(-1)?.at).toBeGreaterThanOrEqual(from + 19 * INTERVAL_MS - 2)
  })

  it("lets a transactional email pass a campaign", async () => {
    const team = await makeTeam()
    const campaign = await queued(team, 100)
    const [lone] = await queued(team, 1)
    const { work, handed, provider } = createSender()
    const sending = dispatchEmails(work, campaign, { provider, bulk: true })
    while (handed.length < 10) await scheduler.wait(5)
    let before = 0
    const DB = watchedDb(env.DB, async (_, call) => {
      const answer = await call()
      // The first call is the claim.
      before ||= handed.length
      return answer
    })
    await dispatchEmails(createSender(RATE, DB).work, [lone], { provider })
    const passed = handed.findIndex(({ emailId }) => emailId === lone.emailId) - before
    // those that the provider had already, and the one that was next
    expect(passed).toBeLessThanOrEqual(2)
    await sending
    expect(handed).toHaveLength(101)
  })

  it("gives a campaign no slot while transactional mail takes all", async () => {
    const team = await makeTeam()
    const [many, campaign] = [await queued(team, 100), await queued(team, 5)]
    const { work, handed, provider } = createSender()
    // Until then, the slots that a campaign may look ahead to are taken.
    const until = Date.now() + 400
    const sending = dispatchEmails(work, many, { provider })
    while (handed.length < 2) await scheduler.wait(5)
    let left: readonly unknown[] = []
    const meter = await metered(async () => {
      left = await dispatchEmails(work, campaign, { provider, bulk: true, until })
    })
    expect(left).toEqual(campaign)
    // It waits between its looks; the other one records meanwhile.
    expect(meter.roundTrips).toBeLessThan(6)
    await sending
    expect(await dispatchEmails(work, campaign, { provider, bulk: true })).toEqual([])
    expect(handed.slice(0, 100).map(({ emailId }) => emailId)).not.toContain(campaign[0].emailId)
    expect(handed).toHaveLength(105)
  })

  it("costs one row per batch and no round trip", async () => {
    const team = await makeTeam()
    const refs = await queued(team, 10)
    const { work, provider } = createSender()
    const meter = await metered(() => dispatchEmails(work, refs, { provider }))
    expect(meter.roundTrips).toBe(2)
    expect(meter.rowsWritten).toBeLessThanOrEqual(4 * 10 + 4)
  })

  const turn = () => env.DB.prepare("select next_slot from provider_slots").first("next_slot")

  it("takes no slot and no time for emails that another consumer sent", async () => {
    const team = await makeTeam()
    const refs = await queued(team, 100)
    const { work, provider } = createSender()
    await dispatchEmails(work, refs, { provider })
    const before = await turn()
    const meter = await metered(async () => {
      expect(await dispatchEmails(work, refs, { provider, bulk: true })).toEqual([])
    })
    expect(await turn()).toBe(before)
    // In parts of the room that there is, the first of which may be a little smaller.
    expect(meter.roundTrips).toBeLessThanOrEqual(100 / (RATE / 2) + 1)
  })

  it("takes no slot for a cancelled campaign", async () => {
    const team = await makeTeam()
    const refs = await queued(team, 60)
    const campaignId = await makeCampaign(team)
    await env.DB.batch([
      env.DB.prepare("update emails set campaign_id = ? where team_id = ?").bind(
        campaignId,
        team.id,
      ),
      env.DB.prepare("update campaigns set status = 'cancelled' where id = ?").bind(campaignId),
    ])
    const { work, handed, provider } = createSender()
    await dispatchEmails(work, refs, { provider, bulk: true })
    expect(handed).toEqual([])
    expect(await turn()).toBeLessThanOrEqual(Date.now())
    const { body } = await team.api.get("/emails?status=cancelled&limit=100")
    expect(body.data).toHaveLength(60)
  })

  it("leaves transactional mail to another message while there is no room", async () => {
    const team = await makeTeam()
    const [many, more] = [await queued(team, 100), await queued(team, 5)]
    const { work, provider } = createSender()
    await env.DB.prepare(
      "insert into provider_slots (provider, next_slot, next_transactional_slot) values ('sandbox', ?1, ?1)",
    )
      .bind(Date.now() + 4_000)
      .run()
    expect(await dispatchEmails(work, [...many, ...more], { provider })).toHaveLength(105)
  })
})
