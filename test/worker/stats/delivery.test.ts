import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import type { EmailEventType, EventData } from "../../../src/worker/emails/contract.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { request } from "../../support/api.ts"
import { PERSON_ROUND_TRIPS } from "../../support/installation.ts"
import { metered } from "../../support/meter.ts"
import { sessionOf } from "../../support/session.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

const HOUR_MS = 3_600_000
const ACCEPTED = Date.now() - 5 * HOUR_MS

interface Kind {
  scheduledAt?: number
  domain?: string
}

/** An email to each address, as if it had been accepted. */
async function accepted(team: Team, addresses: string[], kind: Kind = {}) {
  const rows = addresses.map((address) => ({ id: newId("email"), address }))
  await env.DB.prepare(
    `insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at,
       scheduled_at, not_before)
     select ?1, value ->> 'id', 'sending', '{"address":"a@b.co"}',
       json_array(json_object('address', value ->> 'address', 'as', 'to')), 's', ?2, ?3, ?4, 0
     from json_each(?5)`,
  )
    .bind(team.id, kind.domain ?? "dom_a", ACCEPTED, kind.scheduledAt ?? null, JSON.stringify(rows))
    .run()
  return rows.map(({ id }) => id)
}

async function happen(
  team: Team,
  ids: string[],
  type: EmailEventType,
  time: number,
  data: EventData = {},
) {
  const { work } = testWork()
  const ref = (emailId: string) => ({ teamId: team.id, emailId })
  await recordEvents(
    work,
    ids.map((id) => reportOf(ref(id), type, time, data, String(time))),
  )
}

async function reader(team: Team) {
  const cookie = await sessionOf(team.id, "member")
  return async (query: Record<string, string> = {}) => {
    const path = `/dashboard/api/stats/delivery?${new URLSearchParams(query)}`
    return (await request("GET", path, undefined, { cookie })).body
  }
}

const expectNear = (found: number, expected: number) =>
  expect(Math.abs(found / expected - 1)).toBeLessThan(0.1)

const NOTHING = { delivered: 0, bounced: { hard: 0, soft: 0 }, complained: 0, failed: 0 }
const counted = { ...NOTHING, sent: 0, opened: 0, clicked: 0, delayed: 0 }

describe("statistics of deliveries", () => {
  it("have no time and no mailbox for a team that sent nothing", async () => {
    const read = await reader(await makeTeam())
    expect(await read()).toEqual({ time: null, mailboxes: [] })
  })

  it("show the median and the 95th percentile of the time to a delivery", async () => {
    const team = await makeTeam()
    const ids = await accepted(team, Array(20).fill("ada@example.com"))
    await happen(team, ids.slice(0, 11), "delivered", ACCEPTED + 1_500)
    await happen(team, ids.slice(11, 18), "delivered", ACCEPTED + 8_000)
    await happen(team, ids.slice(18), "delivered", ACCEPTED + 2 * HOUR_MS)
    await happen(team, ids.slice(18), "delivered", ACCEPTED + 3 * HOUR_MS)
    const { time } = await (await reader(team))()
    expectNear(time.medianMs, 1_500)
    expectNear(time.p95Ms, 2 * HOUR_MS)
  })

  it("measure a scheduled email from its time", async () => {
    const team = await makeTeam()
    const scheduledAt = ACCEPTED + HOUR_MS
    const ids = await accepted(team, ["ada@example.com"], { scheduledAt })
    await happen(team, ids, "delivered", scheduledAt + 2_000)
    expectNear((await (await reader(team))()).time.medianMs, 2_000)
  })

  it("count by the mailbox provider of the recipient's domain", async () => {
    const team = await makeTeam()
    const gmail = await accepted(team, ["a@gmail.com", "B@Googlemail.com", "c@gmail.com"])
    const others = await accepted(team, [
      "d@outlook.fr",
      "e@yahoo.co.uk",
      "f@me.com",
      "g@notgmail.com",
      "h@gmail.com.example.org",
    ])
    await happen(team, [...gmail, ...others], "sent", ACCEPTED)
    await happen(team, gmail.slice(0, 2), "delivered", ACCEPTED + 1_000)
    await happen(team, gmail.slice(2), "bounced", ACCEPTED, { bounceType: "Permanent" })
    const { mailboxes } = await (await reader(team))()
    expect(mailboxes).toEqual([
      { name: "Gmail", ...counted, sent: 3, delivered: 2, bounced: { hard: 1, soft: 0 } },
      { name: "Other", ...counted, sent: 2 },
      { name: "Apple", ...counted, sent: 1 },
      { name: "Microsoft", ...counted, sent: 1 },
      { name: "Yahoo", ...counted, sent: 1 },
    ])
  })

  it("keep to the range, the filters and the team", async () => {
    const team = await makeTeam()
    const read = await reader(team)
    const other = await accepted(team, ["a@gmail.com"], { domain: "dom_b" })
    await happen(team, other, "sent", ACCEPTED)
    const sent = async (query: Record<string, string>) => (await read(query)).mailboxes[0]?.sent
    expect(await sent({ domainId: "dom_b" })).toBe(1)
    expect(await sent({ domainId: "dom_a" })).toBeUndefined()
    expect(await sent({ since: new Date(ACCEPTED + HOUR_MS).toISOString() })).toBeUndefined()
    expect((await (await reader(await makeTeam()))()).mailboxes).toEqual([])
  })

  it("take one round trip, and are counted in the row that an event writes anyhow", async () => {
    const team = await makeTeam()
    const read = await reader(team)
    const [first = "", second = ""] = await accepted(team, ["a@gmail.com", "b@web.de"])
    await happen(team, [first], "sent", ACCEPTED)
    expect(await metered(read)).toMatchObject({
      roundTrips: 1 + PERSON_ROUND_TRIPS,
      rowsWritten: 0,
    })
    await happen(team, [second], "sent", ACCEPTED)
    const { results } = await env.DB.prepare("select hour from stats_hours where team_id = ?")
      .bind(team.id)
      .all()
    expect(results).toHaveLength(1)
  })
})
