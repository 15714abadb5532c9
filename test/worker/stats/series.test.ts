import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import type { EmailEventType, EventData } from "../../../src/worker/emails/contract.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { MAX_TAGS } from "../../../src/worker/stats/series/count-hours.ts"
import { metered } from "../../support/meter.ts"
import { makePerson } from "../../support/session.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The start of a UTC day of which emails are still kept. */
const DAY = Date.now() - (Date.now() % DAY_MS) - 40 * DAY_MS
const at = (time: number) => new Date(time).toISOString()

interface Kind {
  domain?: string
  template?: string
  campaign?: string
  tags?: Record<string, string>
}

/** The ids of emails of a kind, as if they had been accepted. */
async function accepted(team: Team, count: number, kind: Kind = {}) {
  const { domain = "dom_a", template = null, campaign = null, tags = {} } = kind
  const ids = Array.from({ length: count }, () => newId("email"))
  await env.DB.batch([
    env.DB.prepare(
      `insert into emails (team_id, id, status, sender, recipients, subject, domain_id, template_id,
         campaign_id, tags, created_at, not_before)
       select ?1, value, 'sending', '{"address":"a@b.co"}', '[]', 's', ?2, ?3, ?4, ?5, 0, 0
       from json_each(?6)`,
    ).bind(team.id, domain, template, campaign, JSON.stringify(tags), JSON.stringify(ids)),
    env.DB.prepare(
      `insert into email_tags (team_id, tag, email_id)
       select ?1, t.key || ':' || t.value, x.value from json_each(?2) t, json_each(?3) x`,
    ).bind(team.id, JSON.stringify(tags), JSON.stringify(ids)),
  ])
  return ids
}

async function happen(
  team: Team,
  ids: string[],
  type: EmailEventType,
  time: number,
  data: EventData = {},
) {
  const { work } = testWork()
  const detail = String(time)
  await recordEvents(
    work,
    ids.map((emailId) => reportOf({ teamId: team.id, emailId }, type, time, data, detail)),
  )
}

async function read(team: Team, query: Record<string, string> = {}) {
  const { status, body } = await team.api.get(`/stats/series?${new URLSearchParams(query)}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body
}

const ofDay = { since: at(DAY), until: at(DAY + DAY_MS) }
const counted = { sent: 0, delivered: 0, complained: 0, failed: 0, opened: 0, clicked: 0 }
const ZEROS = { ...counted, bounced: { hard: 0, soft: 0 }, delayed: 0 }

describe("a series", () => {
  it("has a row of zeros for each step of a team that sent nothing", async () => {
    const team = await makeTeam()
    const { data, totals } = await read(team, ofDay)
    expect(data).toHaveLength(24)
    expect(data[0]).toEqual({ at: at(DAY), ...ZEROS })
    expect(data.at(-1).at).toBe(at(DAY + 23 * HOUR_MS))
    expect(totals).toEqual(ZEROS)
  })

  it("counts each email once for each kind of event, in the hour of its first one", async () => {
    const team = await makeTeam()
    const [one = "", two = ""] = await accepted(team, 2)
    await happen(team, [one, two], "sent", DAY)
    await happen(team, [one, two], "sent", DAY)
    await happen(team, [one], "delayed", DAY + HOUR_MS - 1)
    await happen(team, [one], "delivered", DAY + HOUR_MS)
    for (const hours of [2, 3, 30]) await happen(team, [one], "opened", DAY + hours * HOUR_MS)
    await happen(team, [two], "cancelled", DAY)
    const { data, totals } = await read(team, ofDay)
    expect(data.slice(0, 4)).toEqual([
      { at: at(DAY), ...ZEROS, sent: 2, delayed: 1 },
      { at: at(DAY + HOUR_MS), ...ZEROS, delivered: 1 },
      { at: at(DAY + 2 * HOUR_MS), ...ZEROS, opened: 1 },
      { at: at(DAY + 3 * HOUR_MS), ...ZEROS },
    ])
    expect(totals).toEqual({ ...ZEROS, sent: 2, delayed: 1, delivered: 1, opened: 1 })
  })

  it("counts bounces by class, and undetermined ones as soft", async () => {
    const team = await makeTeam()
    const [hard = "", soft = "", unknown = "", bare = ""] = await accepted(team, 4)
    await happen(team, [hard], "bounced", DAY, { bounceType: "Permanent" })
    await happen(team, [soft], "bounced", DAY, { bounceType: "Transient" })
    await happen(team, [unknown], "bounced", DAY, { bounceType: "Undetermined" })
    await happen(team, [bare], "bounced", DAY)
    expect((await read(team, ofDay)).totals.bounced).toEqual({ hard: 1, soft: 3 })
  })

  it("by the day has rows 24 hours apart, and hours count whole", async () => {
    const team = await makeTeam()
    const since = DAY + 90_000
    for (const days of [0, 1, 2, 3]) {
      await happen(team, await accepted(team, 1), "sent", DAY + days * DAY_MS)
    }
    const query = { since: at(since), until: at(since + 3 * DAY_MS) }
    const { data, totals } = await read(team, query)
    expect(data.map((row: { at: string; sent: number }) => [row.at, row.sent])).toEqual(
      [0, 1, 2, 3].map((days) => [at(DAY + days * DAY_MS), 1]),
    )
    expect(totals.sent).toBe(4)
    expect((await read(team, { ...query, until: at(DAY + 3 * DAY_MS) })).totals.sent).toBe(3)
  })

  it("by the day counts all hours of a day", async () => {
    const team = await makeTeam()
    for (const hours of [0, 7, 23, 25]) {
      await happen(team, await accepted(team, 1), "sent", DAY + hours * HOUR_MS + 1)
    }
    const { data } = await read(team, { since: at(DAY), until: at(DAY + 5 * DAY_MS) })
    expect(data.map((row: { sent: number }) => row.sent)).toEqual([3, 1, 0, 0, 0])
  })

  it("is of 30 days by default", async () => {
    const { data } = await read(await makeTeam())
    expect([30, 31]).toContain(data.length)
    expect(data[0].at).toMatch(/T00:00:00.000Z$/)
  })

  it("by the hour covers 24 hours by default", async () => {
    const { data } = await read(await makeTeam(), { step: "hour", until: at(DAY) })
    expect(data).toHaveLength(24)
    expect(data[0].at).toBe(at(DAY - DAY_MS))
  })

  it.each([
    [{ since: at(DAY), until: at(DAY) }],
    [{ since: at(DAY), until: at(DAY + 7 * DAY_MS + 1), step: "hour" }],
    [{ since: at(DAY), until: at(DAY + 400 * DAY_MS + 1) }],
    [{ since: at(Date.now() + DAY_MS) }],
    [{ step: "week" }],
    [{ tag: "plan" }],
    [{ since: "yesterday" }],
  ])("refuses %j", async (query: Record<string, string>) => {
    const { api } = await makeTeam()
    const { status, body } = await api.get(`/stats/series?${new URLSearchParams(query)}`)
    expect([status, body.error.code]).toEqual([400, "validation_error"])
  })

  it("takes a week by the hour and 400 days", async () => {
    const team = await makeTeam()
    const week = { since: at(DAY), until: at(DAY + 7 * DAY_MS), step: "hour" }
    expect((await read(team, week)).data).toHaveLength(168)
    const sevenDaysAgo = { since: at(Date.now() - 7 * DAY_MS), step: "hour" }
    expect((await read(team, sevenDaysAgo)).data.length).toBeGreaterThanOrEqual(168)
    const long = { since: at(DAY), until: at(DAY + 400 * DAY_MS) }
    expect((await read(team, long)).data).toHaveLength(400)
  })
})

describe("the filters of a series", () => {
  it("combine, and an unknown id finds nothing", async () => {
    const team = await makeTeam()
    const kinds: [number, Kind][] = [
      [1, { tags: { plan: "pro" } }],
      [2, { domain: "dom_b", template: "tpl_a", tags: { plan: "pro", city: 'Köln "Süd"' } }],
      [4, { domain: "dom_b", template: "tpl_b", tags: { plan: "free" } }],
      [8, { campaign: "cmp_a" }],
    ]
    for (const [count, kind] of kinds)
      await happen(team, await accepted(team, count, kind), "sent", DAY)
    const sent = async (query: Record<string, string>) =>
      (await read(team, { ...ofDay, ...query })).totals.sent
    expect(await sent({})).toBe(15)
    expect(await sent({ domainId: "dom_b" })).toBe(6)
    expect(await sent({ tag: "plan:pro" })).toBe(3)
    expect(await sent({ tag: 'city:Köln "Süd"' })).toBe(2)
    expect(await sent({ tag: "plan:pro", domainId: "dom_b" })).toBe(2)
    expect(await sent({ tag: "plan:free", templateId: "tpl_a" })).toBe(0)
    expect(await sent({ templateId: "tpl_b", domainId: "dom_b" })).toBe(4)
    expect(await sent({ campaignId: "cmp_a" })).toBe(8)
    expect(await sent({ campaignId: "nope" })).toBe(0)
    expect(await sent({ campaignId: "" })).toBe(0)
    expect(await sent({ templateId: "" })).toBe(0)
    expect(await sent({ tag: "plan:none" })).toBe(0)
    const other = await makeTeam()
    expect((await read(other, ofDay)).totals.sent).toBe(0)
    const person = await makePerson(team.id, "member")
    const { body } = await person.get(`/template-sends?since=${at(DAY)}`)
    const lastHour = at(DAY)
    expect(body.data).toEqual([
      { templateId: "tpl_a", sent: 2, lastHour },
      { templateId: "tpl_b", sent: 4, lastHour },
    ])
  })

  it("count a tag that an hour has no room for from its emails", async () => {
    const team = await makeTeam()
    await happen(team, await accepted(team, 3, { tags: { plan: "a" } }), "sent", DAY)
    for (let index = 0; index < MAX_TAGS + 5; index += 15) {
      const tags = Object.fromEntries(
        Array.from({ length: 15 }, (_, more) => [`order-${index + more}`, "x"]),
      )
      const ids = await accepted(team, 1, { tags })
      await happen(team, ids, "sent", DAY)
      await happen(team, ids, "bounced", DAY + 2 * HOUR_MS, { bounceType: "Permanent" })
    }
    const row = await env.DB.prepare(
      "select count(*) as tags from stats_hours, json_each(tags) where team_id = ? and hour = ?",
    )
    expect(await row.bind(team.id, DAY).first()).toEqual({ tags: MAX_TAGS })
    for (const order of [0, 104]) {
      const { totals, incomplete } = await read(team, { ...ofDay, tag: `order-${order}:x` })
      expect([totals, incomplete]).toEqual([
        { ...ZEROS, sent: 1, bounced: { hard: 1, soft: 0 } },
        undefined,
      ])
    }
    expect((await read(team, { ...ofDay, tag: "plan:a" })).totals.sent).toBe(3)
    expect((await read(team, { ...ofDay, tag: "order-104:x", domainId: "b" })).totals.sent).toBe(0)
  })

  it("say where a tag has too many emails, or emails that are gone", async () => {
    const team = await makeTeam()
    const tags = { to: "ada@example.com" }
    await happen(team, await accepted(team, 1, { tags }), "sent", DAY)
    expect(await read(team, { ...ofDay, tag: "to:ada@example.com" })).not.toHaveProperty(
      "incomplete",
    )
    const since = at(Date.now() - 399 * DAY_MS)
    expect((await read(team, { since, tag: "to:ada@example.com" })).incomplete).toBe(true)
    await accepted(team, 1_000, { tags })
    expect((await read(team, { ...ofDay, tag: "to:ada@example.com" })).incomplete).toBe(true)
  })

  it("keep no address of a tag", async () => {
    const team = await makeTeam()
    const encoded = "ada%252540example.com"
    const tags = { to: "ada@example.com", by: "ADA%40example.com", of: encoded, plan: "25%" }
    await happen(team, await accepted(team, 1, { tags }), "sent", DAY)
    expect((await read(team, { ...ofDay, tag: `of:${encoded}` })).totals.sent).toBe(1)
    const rows = await env.DB.prepare("select tags from stats_hours where team_id = ?")
    const kept = await rows.bind(team.id).first<{ tags: string }>()
    expect(Object.keys(JSON.parse(kept!.tags))).toEqual(["plan:25%"])
  })
})

it("a series is one round trip, and reads the rows of its hours alone", async () => {
  const team = await makeTeam()
  for (let hour = 0; hour < 24; hour++) {
    await happen(team, await accepted(team, 20), "sent", DAY + hour * HOUR_MS)
  }
  await read(team, ofDay)
  const meter = await metered(() => read(team, ofDay))
  expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
  expect(meter.rowsRead).toBeLessThanOrEqual(60)
})

it("a hundred events of one kind are one more row", async () => {
  const team = await makeTeam()
  const ids = await accepted(team, 100, { tags: { plan: "pro" } })
  await happen(team, ids, "sent", DAY)
  const rows = await env.DB.prepare("select sent, tags from stats_hours where team_id = ?")
    .bind(team.id)
    .all()
  expect(rows.results).toEqual([{ sent: 100, tags: '{"plan:pro":[100,0,0,0,0,0,0,0,0]}' }])
})
