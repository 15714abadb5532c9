import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { chunk } from "../../../src/lib/chunk.ts"
import { DAY_MS } from "../../../src/lib/time.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { warmed } from "../../support/warm.ts"

const START = Date.UTC(2026, 5, 1)

interface Happening {
  type: "delayed" | "opened" | "bounced"
  at: number
}

/** An email with such a timeline; an open's id begins with its day, as that of a real one. */
async function withTimeline({ id: teamId, api, domain }: Team, happenings: Happening[]) {
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const message = {
    from: `a@${domain}`,
    to: "b@example.com",
    subject: "Hi",
    text: "Hi",
    scheduledAt,
  }
  const { body } = await api.post("/emails", message)
  const rows = happenings.map(({ type, at }, index) => {
    const idTime = type === "opened" ? at - (at % DAY_MS) : at
    return {
      ...reportOf({ teamId, emailId: body.id }, type, idTime, {}, `${index}`),
      occurredAt: at,
    }
  })
  const insert = env.DB.prepare(
    `insert into email_events (team_id, email_id, id, type, occurred_at, data)
     select value ->> 'teamId', value ->> 'emailId', value ->> 'id', value ->> 'type',
       value ->> 'occurredAt', '{}' from json_each(?)`,
  )
  for (const some of chunk(rows, 5_000)) await insert.bind(JSON.stringify(some)).run()
  return { id: body.id as string, ids: rows }
}

async function walk({ api }: Team, id: string) {
  const pages: { id: string; occurredAt: string }[][] = []
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const { status, body } = await api.get(`/emails/${id}${cursor && `?eventsCursor=${cursor}`}`)
    expect(status).toBe(200)
    pages.push(body.events)
    cursor = body.eventsCursor
    expect(pages.length).toBeLessThan(50)
  }
  return pages
}

const many = (count: number, make: (index: number) => Happening) =>
  Array.from({ length: count }, (_, index) => make(index))

/** Five days, each with a hundred opens and forty delays, and a burst at one moment. */
const BUSY = [0, 1, 2, 3, 4].flatMap((day) => [
  ...many(100, (i) => ({ type: "opened", at: START + day * DAY_MS + 1_000 + i * 800_000 })),
  ...many(40, (i) => ({ type: "delayed", at: START + day * DAY_MS + i * 2_000_000 })),
  ...many(30, () => ({ type: "bounced", at: START + day * DAY_MS + 7_777_777 })),
])

const TIMELINES: [string, Happening[]][] = [
  ["of nothing", []],
  ["of 100 entries", many(100, (i) => ({ type: "delayed", at: START + i }))],
  ["of 101 entries", many(101, (i) => ({ type: "delayed", at: START + i }))],
  ["of 300 entries of one moment", many(300, () => ({ type: "bounced", at: START }))],
  ["of five busy days", BUSY],
]

describe("the timeline of an email", () => {
  it.each(TIMELINES)("%s is read through, oldest first", async (_name, happenings) => {
    const team = await makeTeam()
    const { id, ids } = await withTimeline(team, happenings)
    const pages = await walk(team, id)
    const seen = pages.flat()
    expect(seen.map((one) => one.id).sort()).toEqual(ids.map((one) => one.id).sort())
    const times = seen.map(({ occurredAt }) => occurredAt)
    expect(times).toEqual(times.toSorted())
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(100)
    expect(pages).toHaveLength(Math.max(1, Math.ceil(happenings.length / 100)))
  })

  it("costs one round trip and what a page needs, however long it is", async () => {
    const team = await makeTeam()
    await warmed(team.api)
    const happenings = Array.from({ length: 20 }, () => BUSY).flat()
    const { id } = await withTimeline(team, happenings)
    const { body } = await team.api.get(`/emails/${id}`)
    for (const path of [`/emails/${id}`, `/emails/${id}?eventsCursor=${body.eventsCursor}`]) {
      const cost = await metered(() => team.api.get(path))
      expect(cost.roundTrips).toBe(1)
      expect(cost.rowsRead).toBeLessThanOrEqual(420)
    }
  })

  it.each(["x", "", "MTIz", btoa("1 evt_x")])("refuses the cursor %j", async (cursor) => {
    const team = await makeTeam()
    const { id } = await withTimeline(team, [])
    const { status, body } = await team.api.get(`/emails/${id}?eventsCursor=${cursor}`)
    expect([status, body.error?.details?.[0].path]).toEqual([400, ["eventsCursor"]])
  })
})
