import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { sharedLine } from "../../../../src/worker/emails/sending/pacing/provider-rates.ts"
import type { Provider } from "../../../../src/worker/providers/provider.ts"
import { makeCampaign } from "../../../support/campaign.ts"
import { dispatchEmails } from "../../../support/dispatch.ts"
import { eventually } from "../../../support/eventually.ts"
import { metered } from "../../../support/meter.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { watchedDb } from "../../../support/watched-db.ts"
import { testWork } from "../../../support/work.ts"

const RATE = 50
const INTERVAL_MS = 1000 / RATE

/** Emails that are due now and that no queue knows of. */
async function queued(
  { api, id: teamId, domain }: Team,
  count: number,
  to: string | string[] = "someone@example.com",
) {
  const items = Array.from({ length: count }, () => ({
    from: `sender@${domain}`,
    to,
    subject: "Hello",
    text: "Hi",
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  }))
  const { body } = await api.post("/emails/batch", items)
  await env.DB.prepare("update emails set not_before = 0 where team_id = ?").bind(teamId).run()
  return body.data.map(({ id }: { id: string }) => ({ teamId, emailId: id }))
}

let providers = 0

/** A provider with a line of its own, or the one of this name. */
function createSender({ rate = RATE, DB = env.DB, name = `provider-${++providers}` } = {}) {
  const { work } = testWork({ settings: { BULK_SEND_RATE: String(rate), DB } })
  const handed: { emailId: string; at: number }[] = []
  const provider: Provider = {
    name: name as Provider["name"],
    async send({ emailId }) {
      handed.push({ emailId, at: Date.now() })
      return { ok: true, providerMessageId: emailId, acceptedAt: Date.now() }
    },
  }
  /** Takes slots of the line; without a count, it answers how long the line is. */
  const take = (count = 0, isBulk = true) =>
    sharedLine(env, name).take({ isBulk, count, intervalMs: 1000 / rate, aheadMs: 10_000 })
  return { work, handed, provider, take }
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

  it.each([true, false])("lets the first email go at once (bulk: %s)", async (bulk) => {
    const team = await makeTeam()
    const { work, handed, provider } = createSender({ rate: 0.001 })
    await dispatchEmails(work, await queued(team, 1), { provider, bulk })
    expect(handed).toHaveLength(1)
    const second = await queued(team, 1)
    expect(await dispatchEmails(work, second, { provider })).toEqual(bulk ? [] : second)
  })

  it("is shared out where the line does not answer", async () => {
    const refs = await queued(await makeTeam(), 20)
    const { work, handed, provider } = createSender()
    const lost = {
      ...work,
      env: {
        ...work.env,
        PROVIDER_RATES: { getByName: () => ({ take: () => Promise.reject(new Error("Moved")) }) },
      },
    }
    const from = Date.now()
    await dispatchEmails(lost as unknown as typeof work, refs, { provider })
    expect(handed).toHaveLength(20)
    expect(handed.at(-1)?.at).toBeGreaterThanOrEqual(from + 19 * INTERVAL_MS - 2)
  })

  it("is that of campaigns for a provider of campaigns alone", async () => {
    const refs = await queued(await makeTeam(), 20)
    const { handed, provider } = createSender()
    const { work } = testWork({
      settings: { SEND_RATE: "10000", BULK_SEND_RATE: String(RATE) },
    })
    const from = Date.now()
    await dispatchEmails(work, refs, { provider, bulk: true })
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
    await dispatchEmails(createSender({ DB }).work, [lone], { provider })
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

  it("that counts recipients gives each a slot, and nothing to mail that it comes too late for", async () => {
    const to = Array.from({ length: 50 }, (_, index) => `someone${index}@example.com`)
    const refs = await queued(await makeTeam(), 2, to)
    const { work, handed, provider, take } = createSender({ rate: 2 })
    await dispatchEmails(work, refs, { provider: { ...provider, countsRecipients: true } })
    expect(handed).toHaveLength(1)
    await eventually(async () => expect((await take()).delayMs).toBeGreaterThan(10_000))
    expect((await take()).delayMs).toBeLessThanOrEqual(25_000)
  })

  it("takes no slot for emails that another consumer sent", async () => {
    const refs = await queued(await makeTeam(), 100)
    const { work, provider, take } = createSender({ rate: 0.001 })
    await dispatchEmails(testWork().work, refs)
    expect(await dispatchEmails(work, refs, { provider, bulk: true })).toEqual([])
    await eventually(async () => expect((await take()).delayMs).toBe(0))
  })

  it("takes no slot for a cancelled campaign", async () => {
    const team = await makeTeam()
    const refs = await queued(team, 3)
    const campaignId = await makeCampaign(team)
    await env.DB.batch([
      env.DB.prepare("update emails set campaign_id = ? where team_id = ?").bind(
        campaignId,
        team.id,
      ),
      env.DB.prepare("update campaigns set status = 'cancelled' where id = ?").bind(campaignId),
    ])
    const { work, handed, provider, take } = createSender({ rate: 0.001 })
    await dispatchEmails(work, refs, { provider, bulk: true })
    expect(handed).toEqual([])
    await eventually(async () => expect((await take()).delayMs).toBe(0))
    const { body } = await team.api.get("/emails?status=cancelled&limit=100")
    expect(body.data).toHaveLength(3)
  })

  it("leaves transactional mail to another message while there is no room", async () => {
    const refs = await queued(await makeTeam(), 100)
    const { work, provider, take } = createSender({ rate: 1 })
    expect((await take(5, false)).room).toBe(5)
    expect(await dispatchEmails(work, refs, { provider })).toHaveLength(100)
  })
})
