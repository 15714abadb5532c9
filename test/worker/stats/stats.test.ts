import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import type { EmailEventType } from "../../../src/worker/emails/contract.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { warmed } from "../../support/warm.ts"
import { makeClock, testWork } from "../../support/work.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Emails as if they had been sent, with these events this long ago. */
async function happened(
  team: Team,
  count: number,
  types: EmailEventType[],
  agoMs: number,
  { tags = {}, keyId = null }: { tags?: object; keyId?: string | null } = {},
) {
  const refs = Array.from({ length: count }, () => ({ teamId: team.id, emailId: newId("email") }))
  await env.DB.prepare(
    `insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at, not_before, tags, key_id)
     select ?1, value ->> 'emailId', 'sending', '{"address":"a@b.co"}', '[]', 's', 'd', 0, 0, ?3, ?4
     from json_each(?2)`,
  )
    .bind(team.id, JSON.stringify(refs), JSON.stringify(tags), keyId)
    .run()
  const { work } = testWork()
  const events = refs.flatMap((ref) => types.map((type) => reportOf(ref, type, Date.now() - agoMs)))
  await recordEvents(work, events)
  await recordEvents(work, events)
  return refs
}

const stats = async ({ api }: Team) => (await api.get("/stats")).body

describe("statistics", () => {
  it("leave out the service's own notices, and only these", async () => {
    const team = await makeTeam()
    const tags = { notice: "webhook_disabled" }
    await happened(team, 3, ["sent", "bounced"], 0, { tags })
    await happened(team, 2, ["sent"], 0, { tags, keyId: "key_1" })
    await happened(team, 1, ["sent"], 0, { tags: { kind: "notice" } })
    const { sent, rates } = await stats(team)
    expect([sent.d30, rates.bounced]).toEqual([3, 0])
    const { body: series } = await team.api.get("/stats/series")
    expect(series.totals).toMatchObject({ sent: 3, bounced: { hard: 0, soft: 0 } })
  })

  it("of a team that sent nothing are zeros of thirty days", async () => {
    const body = await stats(await makeTeam())
    expect(body.sent).toEqual({ today: 0, d7: 0, d30: 0 })
    expect(Object.values(body.rates)).toEqual([0, 0, 0, 0, 0])
    expect(body.alerts).toEqual([])
    expect(body.series).toHaveLength(30)
    expect(body.series.at(-1).date).toBe(new Date().toISOString().slice(0, 10))
    const dates = body.series.map(({ date }: { date: string }) => date)
    expect(dates).toEqual(dates.toSorted())
  })

  it("count the emails sent in 24 hours, 7 and 30 days", async () => {
    const team = await makeTeam()
    await happened(team, 1, ["sent"], 0)
    await happened(team, 2, ["sent"], 23 * HOUR_MS + 44 * MINUTE_MS)
    await happened(team, 4, ["sent"], DAY_MS + MINUTE_MS)
    await happened(team, 8, ["sent"], 6 * DAY_MS)
    await happened(team, 16, ["sent"], 7 * DAY_MS)
    await happened(team, 32, ["sent"], 29 * DAY_MS)
    await happened(team, 64, ["sent"], 30 * DAY_MS)
    expect((await stats(team)).sent).toEqual({ today: 3, d7: 15, d30: 63 })
  })

  it("show outcomes as shares of the sent emails, each email once", async () => {
    const team = await makeTeam()
    await happened(team, 3, ["sent", "delivered", "opened", "clicked"], 0)
    await happened(team, 1, ["sent", "bounced"], DAY_MS)
    const [ref] = await happened(team, 4, ["sent", "delivered", "complained"], DAY_MS)
    const again = ["ua1", "ua2"].map((detail) =>
      reportOf(ref!, "delivered", Date.now() - HOUR_MS, {}, detail),
    )
    await recordEvents(testWork().work, again)
    const { rates, series } = await stats(team)
    expect(rates).toEqual({
      delivered: 7 / 8,
      bounced: 1 / 8,
      complained: 4 / 8,
      opened: 3 / 8,
      clicked: 3 / 8,
    })
    expect(series.at(-1)).toMatchObject({
      sent: 3,
      delivered: 3,
      opened: 3,
      clicked: 3,
      bounced: 0,
    })
    expect(series.at(-2)).toMatchObject({ sent: 5, delivered: 4, bounced: 1, complained: 4 })
  })

  it.each([
    [19, 19, 0, []],
    [20, 0, 0, []],
    [100, 3, 0, []],
    [100, 4, 0, [["bounce", "warning", 0.04]]],
    [100, 5, 0, [["bounce", "critical", 0.05]]],
    [1250, 0, 1, [["complaint", "warning", 0.0008]]],
    [1000, 0, 1, [["complaint", "critical", 0.001]]],
    [1300, 0, 1, []],
    [
      100,
      10,
      10,
      [
        ["bounce", "critical", 0.1],
        ["complaint", "critical", 0.1],
      ],
    ],
  ])(
    "of %i sent, %i bounced and %i complained alert %j",
    async (sent, bounced, complained, alerts) => {
      const team = await makeTeam()
      await env.DB.prepare(
        "insert into stats_days (team_id, day, sent, quarters) values (?, ?, ?, ?)",
      )
        .bind(
          team.id,
          new Date().toISOString().slice(0, 10),
          sent,
          JSON.stringify({ 0: [sent, bounced, complained] }),
        )
        .run()
      const body = await stats(team)
      expect(body.alerts).toEqual(
        alerts.map(([kind, level, rate]) => ({ kind, level, rate, window: "24h" })),
      )
    },
  )

  it("do not alert of outcomes older than a day", async () => {
    const team = await makeTeam()
    await happened(team, 30, ["sent", "bounced"], DAY_MS + 16 * MINUTE_MS)
    expect((await stats(team)).alerts).toEqual([])
  })

  it("take one round trip and at most 40 rows, whatever the history", async () => {
    const team = await makeTeam()
    const day = makeClock()
    const rows = Array.from({ length: 400 }, (_, index) =>
      new Date(day.now() - index * DAY_MS).toISOString().slice(0, 10),
    )
    await env.DB.prepare(
      `insert into stats_days (team_id, day, sent, quarters)
       select ?1, value, 1000000, '{"0":[1,0,0]}' from json_each(?2)`,
    )
      .bind(team.id, JSON.stringify(rows))
      .run()
    await warmed(team.api)
    const meter = await metered(() => team.api.get("/stats"))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(40)
  })
})
