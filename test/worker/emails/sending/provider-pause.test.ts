import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, it } from "vitest"
import { LONGEST_LEASE_MS } from "../../../../src/worker/emails/sending/claim.ts"
import { sendBacklog, sendFirst } from "../../../../src/worker/emails/sending/dispatch.ts"
import { PROBE_EVERY_MS } from "../../../../src/worker/emails/sending/pacing/provider-pause.ts"
import {
  failExpiredEmails,
  shortenLeases,
} from "../../../../src/worker/emails/sending/sweep-emails.ts"
import type { Provider, SendResult } from "../../../../src/worker/providers/provider.ts"
import { putIntoCampaign } from "../../../support/campaign.ts"
import { interruptedDb } from "../../../support/interrupted-db.ts"
import { metered } from "../../../support/meter.ts"
import { endPauses } from "../../../support/providers.ts"
import { fakeQueue } from "../../../support/queue.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { makeClock, testWork } from "../../../support/work.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

beforeEach(async () => {
  await endPauses()
  await env.DB.prepare("delete from emails").run()
})

const DOWN: SendResult = { ok: false, retryable: true, fault: "provider", reason: "503 from it" }
const SILENT: SendResult = { ok: false, retryable: true, unanswered: true, reason: "No answer" }

async function accept(team: Team, count: number): Promise<string[]> {
  const items = Array.from({ length: count }, (_, index) => ({
    from: `sender@${team.domain}`,
    to: `someone${index}@example.com`,
    subject: "Hello",
    text: "Hi",
    scheduledAt: new Date(Date.now() + HOUR_MS).toISOString(),
  }))
  const { body } = await team.api.post("/emails/batch", items)
  return body.data.map(({ id }: { id: string }) => id)
}

/** Puts an email into a campaign's queue, where it waits for its first attempt. */
async function queueInCampaign(team: Team, emailId: string) {
  await putIntoCampaign(team, emailId)
  await env.DB.batch([
    env.DB.prepare(
      "update emails set status = 'queued', scheduled_at = null, not_before = 0, due_at = null where id = ?",
    ).bind(emailId),
    env.DB.prepare(
      `insert into campaign_batches (team_id, campaign_id, id, emails)
       select team_id, campaign_id, 'b', json_array(id) from emails where id = ?`,
    ).bind(emailId),
  ])
}

/** A provider that answers as `answer` says, and a clock at the time when the emails are due. */
function makeSender(answer: (emailId: string) => SendResult | null) {
  const clock = makeClock(Date.now() + HOUR_MS + 1_000)
  const { queue, sent } = fakeQueue()
  const settings = { SENDS: queue, SENDS_BACKLOG: queue, SENDS_BULK: queue }
  const { work, settled } = testWork({ clock, settings })
  const handed: string[] = []
  const provider: Provider = {
    name: "sandbox",
    sendRate: async () => null,
    async send({ emailId }) {
      handed.push(emailId)
      return answer(emailId) ?? { ok: true, providerMessageId: emailId, acceptedAt: clock.now() }
    },
  }
  const first = (team: Team) => sendFirst(work, { teams: [team.id], provider })
  const backlog = (team: Team) => sendBacklog(work, { teams: [team.id], provider })
  const bulk = () => sendBacklog(work, { bulk: true, provider })
  return { clock, work, handed, first, backlog, bulk, queued: sent, settled }
}

const statuses = async (team: Team) => {
  const { results } = await env.DB.prepare(
    "select status, count(*) as count from emails where team_id = ? group by status",
  )
    .bind(team.id)
    .all<{ status: string; count: number }>()
  return Object.fromEntries(results.map(({ status, count }) => [status, count]))
}

const attemptsOf = async (team: Team) =>
  (
    await env.DB.prepare("select max(attempts) as most from emails where team_id = ?")
      .bind(team.id)
      .first<{ most: number }>()
  )?.most

describe("a provider that is down", () => {
  it("for hours loses no email, and all go out when it answers", async () => {
    const team = await makeTeam()
    await accept(team, 40)
    let isDown = true
    const { clock, handed, first, backlog } = makeSender(() => (isDown ? DOWN : null))
    await first(team)
    for (let minute = 0; minute < 240; minute++) {
      clock.advance(MINUTE_MS)
      await backlog(team)
    }
    expect(await statuses(team)).not.toHaveProperty("failed")
    expect(await attemptsOf(team)).toBe(0)
    // The first claim, then one probe a minute.
    expect(handed.length).toBeLessThanOrEqual(25 + 240 + 1)
    isDown = false
    clock.advance(MINUTE_MS)
    await backlog(team)
    clock.advance(PROBE_EVERY_MS)
    await backlog(team)
    expect(await statuses(team)).toEqual({ sent: 40 })
  })

  it("gets one probe at a time, and the others wait without a message", async () => {
    const team = await makeTeam()
    await accept(team, 40)
    const { clock, handed, first, backlog, queued } = makeSender(() => DOWN)
    await first(team)
    const before = handed.length
    clock.advance(PROBE_EVERY_MS)
    queued.length = 0
    expect(await Promise.all([backlog(team), backlog(team), backlog(team)])).toEqual([0, 0, 0])
    expect(handed.length).toBe(before + 1)
    // The probe's own email is tried again.
    expect(queued).toHaveLength(1)
  })

  it("costs a claim that must wait no written row", async () => {
    const team = await makeTeam()
    await accept(team, 40)
    const { first, backlog } = makeSender(() => DOWN)
    await first(team)
    expect((await metered(() => backlog(team))).rowsWritten).toBe(0)
  })

  it("asks for all that waits once it answers", async () => {
    const team = await makeTeam()
    await accept(team, 30)
    let isDown = true
    const { clock, first, queued, settled } = makeSender(() => (isDown ? DOWN : null))
    await first(team)
    isDown = false
    clock.advance(PROBE_EVERY_MS)
    queued.length = 0
    await first(team)
    await settled()
    expect(JSON.stringify(queued)).toMatch(/"sends-backlog".*"sends-bulk"/)
  })

  it("fails an email 72 hours after its due time, with the reason", async () => {
    const team = await makeTeam()
    const [id] = await accept(team, 1)
    const { clock, first, backlog } = makeSender(() => DOWN)
    await first(team)
    clock.advance(71 * HOUR_MS)
    await backlog(team)
    expect(await statuses(team)).toEqual({ sending: 1 })
    clock.advance(HOUR_MS + MINUTE_MS)
    await backlog(team)
    expect((await team.api.get(`/emails/${id}`)).body).toMatchObject({
      status: "failed",
      lastError: "503 from it",
    })
  })

  it("fails after 72 hours also what no probe tried", async () => {
    const team = await makeTeam()
    await accept(team, 60)
    const { clock, work, first } = makeSender(() => DOWN)
    await first(team)
    clock.advance(70 * HOUR_MS)
    await failExpiredEmails(work)
    expect(await statuses(team)).not.toHaveProperty("failed")
    clock.advance(3 * HOUR_MS)
    await failExpiredEmails(work)
    expect(await statuses(team)).toEqual({ failed: 60 })
  })

  it("fails mail of a team that moves after the move", async () => {
    const team = await makeTeam()
    await accept(team, 3)
    const { clock, work, first } = makeSender(() => DOWN)
    await first(team)
    clock.advance(73 * HOUR_MS)
    await env.DB.prepare("insert into team_fences (team_id, mode) values (?, 'closed')")
      .bind(team.id)
      .run()
    await failExpiredEmails(work)
    expect(await statuses(team)).not.toHaveProperty("failed")
    await env.DB.prepare("delete from team_fences").run()
    await failExpiredEmails(work)
    expect(await statuses(team)).toEqual({ failed: 3 })
  })

  it("fails no mail that went out while the sweep was late", async () => {
    const team = await makeTeam()
    await accept(team, 60)
    let isDown = true
    const { clock, first, backlog } = makeSender(() => (isDown ? DOWN : null))
    await first(team)
    clock.advance(73 * HOUR_MS)
    const DB = interruptedDb(/new_events/, async () => {
      isDown = false
      for (let claims = 0; claims < 4; claims++) await backlog(team)
    })
    await failExpiredEmails(testWork({ clock, settings: { DB } }).work)
    expect(await statuses(team)).toEqual({ sent: 60 })
  })

  it("fails no more mail once it takes mail again", async () => {
    const team = await makeTeam()
    await accept(team, 100)
    await accept(team, 50)
    const { clock, first } = makeSender(() => DOWN)
    await first(team)
    clock.advance(73 * HOUR_MS)
    const DB = interruptedDb(/new_events/, endPauses)
    await failExpiredEmails(testWork({ clock, settings: { DB } }).work)
    expect((await statuses(team)).failed).toBe(100)
  })

  it("gets an email of a campaign that was paused for days for 72 hours", async () => {
    const team = await makeTeam()
    const [id = ""] = await accept(team, 1)
    await queueInCampaign(team, id)
    const { clock, bulk } = makeSender(() => DOWN)
    clock.advance(96 * HOUR_MS)
    await bulk()
    clock.advance(71 * HOUR_MS)
    await bulk()
    expect(await statuses(team)).toEqual({ sending: 1 })
    clock.advance(2 * HOUR_MS)
    await bulk()
    expect(await statuses(team)).toEqual({ failed: 1 })
  })

  it("of campaigns alone fails no other mail", async () => {
    const team = await makeTeam()
    await accept(team, 1)
    const clock = makeClock()
    const { work } = testWork({ clock, settings: { BULK_PROVIDER: "smtp" } })
    await env.DB.batch([
      env.DB.prepare("update emails set status = 'queued'"),
      env.DB.prepare("insert into provider_pauses values ('smtp', ?1, '503', ?1, null)").bind(
        clock.now(),
      ),
    ])
    clock.advance(80 * HOUR_MS)
    await failExpiredEmails(work)
    expect(await statuses(team)).toEqual({ queued: 1 })
  })

  it("is probed although a clock an hour ahead has set the probe", async () => {
    const team = await makeTeam()
    await accept(team, 2)
    const { clock, handed, first, backlog } = makeSender(() => DOWN)
    await first(team)
    await env.DB.prepare("update provider_pauses set probe_at = ?")
      .bind(clock.now() + HOUR_MS)
      .run()
    clock.advance(MINUTE_MS)
    const before = handed.length
    await backlog(team)
    expect(handed.length).toBe(before + 1)
  })

  it("is explained to the sender", async () => {
    const team = await makeTeam()
    await accept(team, 1)
    const { first } = makeSender(() => DOWN)
    await first(team)
    const { body } = await team.api.get("/emails?status=sending")
    const explained = (await team.api.get(`/emails/${body.data[0].id}/explain`)).body
    expect(explained.waitingFor.what).toMatch(/provider/)
    expect(explained.next.join()).not.toMatch(/cancel/)
  })
})

describe("a lease that a clock an hour ahead has taken", () => {
  it("ends a whole lease after the next sweep", async () => {
    const team = await makeTeam()
    await accept(team, 2)
    const { clock, work, backlog } = makeSender(() => null)
    await env.DB.prepare(
      "update emails set status = 'sending', claimed_by = 'x', not_before = ?1, due_at = ?1 where team_id = ?2",
    )
      .bind(clock.now() + HOUR_MS, team.id)
      .run()
    await shortenLeases(work)
    await backlog(team)
    expect(await statuses(team)).toEqual({ sending: 2 })
    clock.advance(LONGEST_LEASE_MS + 1)
    await backlog(team)
    expect(await statuses(team)).toEqual({ sent: 2 })
  })
})

describe("a provider that is silent", () => {
  it("costs an email no attempt", async () => {
    const team = await makeTeam()
    await accept(team, 1)
    const { clock, handed, first, backlog } = makeSender(() => SILENT)
    await first(team)
    for (let minute = 0; minute < 60; minute++) {
      clock.advance(MINUTE_MS)
      await backlog(team)
    }
    expect(handed.length).toBeGreaterThan(6)
    expect(await statuses(team)).toEqual({ sending: 1 })
    expect(await attemptsOf(team)).toBe(0)
  })
})

describe("a provider that refuses one email alone", () => {
  it("is asked with another one at once", async () => {
    const team = await makeTeam()
    const [poison] = await accept(team, 1)
    const { clock, handed, first, backlog } = makeSender((id) => (id === poison ? DOWN : null))
    expect(await first(team)).toBe(true)
    expect(handed).toEqual([poison])
    await accept(team, 30)
    clock.advance(MINUTE_MS)
    await backlog(team)
    expect(await statuses(team)).toEqual({ sending: 1, sent: 30 })
  })
})
