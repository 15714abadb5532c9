import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { gzip } from "../../../../src/lib/gzip.ts"
import { consume, type QueueMessage } from "../../../../src/worker/consume.ts"
import { sendBacklog, sendFirst } from "../../../../src/worker/emails/sending/dispatch.ts"
import { sweepEmails } from "../../../../src/worker/emails/sending/sweep-emails.ts"
import type { Provider } from "../../../../src/worker/providers/provider.ts"
import { makeCampaign } from "../../../support/campaign.ts"
import { createDriver } from "../../../support/driver.ts"
import { metered } from "../../../support/meter.ts"
import { endPauses } from "../../../support/providers.ts"
import { fakeQueue } from "../../../support/queue.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { makeClock, testWork } from "../../../support/work.ts"

beforeEach(async () => void (await endPauses()))

beforeEach(() =>
  env.DB.batch([
    env.DB.prepare("delete from provider_slots"),
    env.DB.prepare("update emails set due_at = null"),
    env.DB.prepare("delete from campaign_batches"),
  ]),
)

/** Queued emails that no message carries. */
async function backlog({ id, domain, domainId }: Team, count: number, change = "") {
  const [{ results }] = (await env.DB.batch([
    env.DB.prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
       insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at,
         not_before, due_at)
       select ?1, printf('em_%s%06d', hex(randomblob(10)), i), 'queued', json_object('address', ?3),
         '[{"address":"a@example.com","as":"to"}]', 'Hello', ?4, ?5, 1, ?5 from n returning id`,
    ).bind(id, count, `a@${domain}`, domainId, Date.now()),
    env.DB.prepare(
      `insert or ignore into email_contents (team_id, email_id, body)
       select e.team_id, e.id, ?2 from emails e where e.team_id = ?1`,
    ).bind(id, CONTENT),
  ])) as [D1Result<{ id: string }>]
  if (change) await env.DB.prepare(`update emails set ${change} where team_id = ?`).bind(id).run()
  return results.map((row) => row.id)
}

const CONTENT = gzip(
  JSON.stringify({ html: null, text: "Hi", headers: {}, attachments: [] }),
).toString("base64")

function createSender(settings: object = {}) {
  const { queue, sent } = fakeQueue()
  const { work } = testWork({ settings: { SENDS_BACKLOG: queue, SENDS: queue, ...settings } })
  const handed: string[] = []
  const provider: Provider = {
    name: "sandbox",
    async send({ emailId, teamId }) {
      handed.push(teamId)
      return { ok: true, providerMessageId: emailId, acceptedAt: Date.now() }
    },
  }
  return { work, handed, provider, queued: sent }
}

describe("the backlog", () => {
  it("lets one email pass another team's thousands", async () => {
    const [large, small] = [await makeTeam(), await makeTeam()]
    await backlog(large, 3_000)
    await backlog(small, 1)
    const { work, handed, provider } = createSender()
    expect(await sendBacklog(work, { provider })).toBe(2)
    expect(handed.length).toBeGreaterThanOrEqual(400)
    expect(handed.indexOf(small.id)).toBeGreaterThanOrEqual(0)
    expect(handed.indexOf(small.id)).toBeLessThan(2)
  })

  it("gives the teams one slot each in turn at the provider's rate", async () => {
    const teams = [await makeTeam(), await makeTeam(), await makeTeam()]
    for (const team of teams) await backlog(team, 20)
    const { work, handed, provider } = createSender({ SEND_RATE: "10" })
    await sendBacklog(work, { provider, until: Date.now() + 1_500 })
    expect(handed.length).toBeGreaterThanOrEqual(9)
    for (const { id } of teams) {
      const share = handed.slice(0, 9).filter((teamId) => teamId === id).length
      expect(share).toBeGreaterThanOrEqual(2)
    }
  })

  it("reads no more rows when other teams have more waiting", async () => {
    const teams = [await makeTeam(), await makeTeam()]
    for (const team of teams) await backlog(team, 10_000)
    const { work, provider } = createSender()
    const until = Date.now() + 60_000
    const meter = await metered(() => sendBacklog(work, { provider, until }))
    expect(meter.roundTrips).toBe(2 * 4)
    // A round writes who was served, and for the stream a row a team.
    expect(meter.rowsWritten).toBeLessThanOrEqual(4 * 400 + 4 * (3 + 2 * teams.length))
    expect(meter.rowsRead).toBeLessThan(400 * 75)
  })

  it("sends an email alone after an unanswered attempt", async () => {
    const team = await makeTeam()
    await backlog(team, 3, "status = 'sending', unanswered = 1")
    await backlog(team, 2)
    const { work, provider } = createSender()
    const together: number[] = []
    let running = 0
    await sendBacklog(work, {
      provider: {
        ...provider,
        async send(message) {
          running++
          await scheduler.wait(5)
          together.push(running)
          running--
          return provider.send(message)
        },
      },
    })
    expect(together).toHaveLength(5)
    const claims = await env.DB.prepare(
      "select unanswered, count(*) as size from emails where team_id = ? group by claimed_by",
    )
      .bind(team.id)
      .all<{ unanswered: number; size: number }>()
    const sizes = claims.results.map(({ unanswered, size }) => [unanswered, size])
    expect(sizes.toSorted()).toEqual([
      [1, 2],
      [2, 1],
      [2, 1],
      [2, 1],
    ])
  })
})

describe("a message for a team", () => {
  it("sends its first few emails and leaves the rest to the backlog", async () => {
    const [large, small] = [await makeTeam(), await makeTeam()]
    await backlog(large, 300)
    await backlog(small, 2)
    const { work, handed, provider } = createSender()
    const teams = [large.id, small.id]
    expect(await sendFirst(work, { teams, provider })).toBe(true)
    expect(handed.filter((id) => id === large.id)).toHaveLength(25)
    expect(handed.slice(0, 4).filter((id) => id === small.id)).toHaveLength(2)
    expect(await sendFirst(work, { teams: [small.id], provider })).toBe(false)
  })

  it("closes the provider's connection also after a failure", async () => {
    const team = await makeTeam()
    await backlog(team, 1)
    const { work, provider } = createSender()
    const close = vi.fn(async () => {})
    const recorded = () => {
      throw new Error("broken")
    }
    const broken = { ...provider, recorded, close }
    await expect(sendFirst(work, { teams: [team.id], provider: broken })).rejects.toThrow("broken")
    expect(close).toHaveBeenCalledOnce()
  })

  it("hands over to the backlog once when many messages come for one team", async () => {
    const team = await makeTeam()
    await backlog(team, 300)
    const { work, queued } = createSender()
    const body: QueueMessage = { kind: "sends", teams: [team.id], dueAt: Date.now() }
    const messages = Array.from({ length: 100 }, () => ({ body }))
    await consume(work, { queue: "s", messages } as unknown as MessageBatch<QueueMessage>)
    expect(queued.map(({ message }) => message.kind)).toEqual(["sends-backlog"])
  })

  it("stays within the size limit of a queue, however many teams wait", async () => {
    const team = await makeTeam()
    await backlog(team, 300)
    const { work, queued } = createSender()
    const messages = Array.from({ length: 100 }, (_, part) => {
      const teams = Array.from({ length: 100 }, (_, index) => `${team.id}-${part}-${index}`)
      return { body: { kind: "sends", teams: [team.id, ...teams], dueAt: Date.now() } }
    })
    await consume(work, { queue: "s", messages } as unknown as MessageBatch<QueueMessage>)
    expect(queued.length).toBeGreaterThan(1)
    for (const { message } of queued) {
      expect(JSON.stringify(message).length).toBeLessThan(128 * 1024)
    }
  })

  it("finds mail of a machine whose clock is 200 ms ahead or behind", async () => {
    const team = await makeTeam()
    const input = { from: `a@${team.domain}`, to: "a@example.com", subject: "s", text: "t" }
    for (const apart of [-200, 200]) {
      const scheduledAt = Date.now() + 60_000
      const { body } = await team.api.post("/emails", {
        ...input,
        scheduledAt: new Date(scheduledAt).toISOString(),
      })
      const { work } = testWork({ clock: makeClock(scheduledAt + apart) })
      const { handed, provider } = createSender()
      await sendFirst(work, { teams: [team.id], dueAt: scheduledAt, provider })
      expect(handed, body.id).toHaveLength(1)
    }
  })

  it("does not send scheduled mail early", async () => {
    const team = await makeTeam()
    const scheduledAt = new Date(Date.now() + 60_000).toISOString()
    await team.api.post("/emails", {
      from: `a@${team.domain}`,
      to: "a@example.com",
      subject: "s",
      text: "t",
      scheduledAt,
    })
    const { work, handed, provider } = createSender()
    await sendFirst(work, { teams: [team.id], dueAt: Date.now() + 120_000, provider })
    expect(handed).toEqual([])
  })
})

describe("scheduled mail", () => {
  it("delays no other team's mail, however much one team has", async () => {
    const [large, small] = [await makeTeam(), await makeTeam()]
    await backlog(large, 20_000, "status = 'scheduled', scheduled_at = 1")
    await backlog(small, 1, "status = 'scheduled', scheduled_at = 1, not_before = 2, due_at = 2")
    const { work, handed, provider, queued } = createSender()
    const meter = await metered(() => sweepEmails(work))
    expect(meter.roundTrips).toBe(1)
    expect(meter.rowsRead).toBeLessThan(100)
    const [{ message }] = queued as [(typeof queued)[0]]
    expect(queued).toHaveLength(1)
    if (message.kind !== "sends") throw new Error(message.kind)
    expect(message.teams.toSorted()).toEqual([large.id, small.id].toSorted())
    expect(await sendFirst(work, { ...message, provider })).toBe(true)
    expect(handed.slice(0, 2)).toContain(small.id)
  })
})

describe("campaigns", () => {
  it("take turns, so that a small one passes a large one", async () => {
    const driver = createDriver()
    const ids: string[] = []
    for (const size of [1_500, 3]) {
      const team = await makeTeam()
      const readers = Array.from({ length: size }, (_, index) => `reader-${index}@example.com`)
      const id = await makeCampaign(team, readers)
      ids.push(id)
      await env.DB.batch([
        env.DB.prepare(
          "update campaigns set status = 'scheduled', scheduled_at = 1 where id = ?",
        ).bind(id),
        env.DB.prepare("update campaign_runs set due_at = 1 where campaign_id = ?").bind(id),
      ])
      await driver.pass()
      await driver.drain(["CAMPAIGNS"])
    }
    const messages = driver.queues.SENDS_BULK.sent.length
    await driver.pass()
    expect(driver.queues.SENDS_BULK.sent.length).toBeLessThanOrEqual(messages + 1)
    const { handed, provider } = createSender()
    await sendBacklog(driver.work, { bulk: true, provider })
    expect(handed.length).toBeLessThan(500)
    const sent = await env.DB.prepare("select sent from campaign_runs where campaign_id = ?")
      .bind(ids[1])
      .first("sent")
    expect(sent).toBe(3)
  })

  it("of a team that moves cost one row, however many batches it has", async () => {
    const teams = [await makeTeam(), await makeTeam()]
    for (const { id } of teams) {
      await env.DB.batch([
        env.DB.prepare("insert into team_fences (team_id, mode) values (?, 'closed')").bind(id),
        env.DB.prepare(
          `with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000)
           insert into campaign_batches select ?, 'cmp_a', printf('%04d', i), '["em_a"]' from n`,
        ).bind(id),
      ])
    }
    const { work, provider } = createSender()
    const meter = await metered(async () => {
      expect(await sendBacklog(work, { bulk: true, provider })).toBe(0)
    })
    await env.DB.prepare("delete from team_fences").run()
    expect(meter.rowsRead).toBeLessThan(60)
  })
})
