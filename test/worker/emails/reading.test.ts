import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { purgeExpired } from "../../../src/worker/emails/retention/retention.ts"
import { createProvider } from "../../../src/worker/providers/create-provider.ts"
import { eventually } from "../../support/eventually.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { metered } from "../../support/meter.ts"
import { addDomain, makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const DAY_MS = 24 * 3_600_000
const [DOMAIN, CAMPAIGN] = [newId("domain"), newId("campaign")]
type Listed = { id: string; status: string }

const message = ({ domain }: Pick<Team, "domain">, change: object = {}) => ({
  from: `sender@${domain}`,
  to: "someone@example.com",
  subject: "Hello",
  text: "Hi",
  scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  ...change,
})

async function sendMany(team: Team, changes: object[]): Promise<string[]> {
  const { body } = await team.api.post(
    "/emails/batch",
    changes.map((change) => message(team, change)),
  )
  return body.data.map(({ id }: Listed) => id)
}

/** The ids of every page, and how many pages there were. */
async function walk(team: Team, query: string) {
  const ids: string[] = []
  let pages = 0
  for (let cursor: string | null = ""; cursor !== null; pages++) {
    const { body } = await team.api.get(`/emails?${query}${cursor && `&cursor=${cursor}`}`)
    ids.push(...body.data.map(({ id }: Listed) => id))
    cursor = body.nextCursor
  }
  return { ids, pages }
}

/** An email at each time, to one address, with one tag, of one campaign and one domain. */
async function insertEach(team: Team, times: number[]): Promise<string[]> {
  const rows = times.map((createdAt) => ({ id: newId("email", createdAt), createdAt }))
  const listed = JSON.stringify(rows)
  const insert = (text: string) => env.DB.prepare(text).bind(team.id, listed)
  await env.DB.batch([
    insert(
      `insert into emails (team_id, id, status, sender, recipients, subject, tags, domain_id,
         campaign_id, created_at, not_before)
       select ?1, value ->> 'id', 'bounced', '{"address":"a@b.co"}', '[]', 's', '{"kind":"a"}',
         '${DOMAIN}', '${CAMPAIGN}', value ->> 'createdAt', 0 from json_each(?2)`,
    ),
    insert(
      `insert into email_recipients (team_id, address, email_id)
       select ?1, 'ann@example.com', value ->> 'id' from json_each(?2)`,
    ),
    insert(
      `insert into email_tags (team_id, tag, email_id)
       select ?1, tag.value, row.value ->> 'id'
       from json_each(?2) row, json_each('["kind", "kind:a"]') tag`,
    ),
  ])
  return rows.map(({ id }) => id)
}

describe("the list of emails", () => {
  it("goes newest first through pages, whatever is deleted under its cursor", async () => {
    const team = await makeTeam()
    const ids = await sendMany(
      team,
      Array.from({ length: 12 }, () => ({})),
    )
    const newest = ids.toReversed()
    expect(await walk(team, "limit=5")).toEqual({ ids: newest, pages: 3 })
    expect(await walk(team, "limit=6")).toEqual({ ids: newest, pages: 2 })
    const { body } = await team.api.get("/emails?limit=5")
    await env.DB.prepare("delete from emails where id = ?").bind(newest[4]).run()
    const next = await team.api.get(`/emails?limit=5&cursor=${body.nextCursor}`)
    expect(next.body.data.map(({ id }: Listed) => id)).toEqual(newest.slice(5, 10))
  })

  it("shows no events", async () => {
    const team = await makeTeam()
    await sendMany(team, [{}])
    const { body } = await team.api.get("/emails")
    expect(body.data[0]).not.toHaveProperty("events")
  })

  it("filters by an address among to, cc and bcc, whatever its case", async () => {
    const team = await makeTeam()
    const [inTo, inCc, inBcc] = await sendMany(team, [
      { to: ["x@example.com", "ann@example.com"] },
      { cc: "Ann <ANN@example.com>" },
      { bcc: "ann@EXAMPLE.com" },
      { to: "joann@example.com" },
      { replyTo: "ann@example.com" },
    ])
    expect((await walk(team, "to=Ann@Example.com")).ids).toEqual([inBcc, inCc, inTo])
  })

  it("filters by tag, with a value and without", async () => {
    const team = await makeTeam()
    const [a, b] = await sendMany(team, [
      { tags: { kind: "a" } },
      { tags: { kind: "b:c", more: "x" } },
      { tags: { other: "a" } },
    ])
    expect((await walk(team, "tag=kind")).ids).toEqual([b, a])
    expect((await walk(team, "tag=kind:a")).ids).toEqual([a])
    expect((await walk(team, "tag=kind:b:c")).ids).toEqual([b])
    expect((await walk(team, "tag=none")).ids).toEqual([])
  })

  it("filters by domain and by status", async () => {
    const team = await makeTeam()
    const otherId = await addDomain(team.id, `other-${team.domain}`)
    const [one, two] = await sendMany(team, [
      { from: `a@other-${team.domain}` },
      {},
      { from: `a@other-${team.domain}` },
    ])
    await team.api.post(`/emails/${one}/cancel`)
    expect((await walk(team, `domainId=${otherId}&status=cancelled`)).ids).toEqual([one])
    expect((await walk(team, `domainId=${team.domainId}`)).ids).toEqual([two])
    expect((await walk(team, "status=scheduled")).ids).toHaveLength(2)
    expect((await walk(team, "status=delivered")).ids).toEqual([])
    expect((await walk(team, "domainId=dom_unknown")).ids).toEqual([])
  })

  it("combines filters", async () => {
    const team = await makeTeam()
    const ids = await sendMany(
      team,
      Array.from({ length: 8 }, (_, index) => ({
        to: index % 2 ? "odd@example.com" : "even@example.com",
        tags: { half: index < 4 ? "first" : "second" },
      })),
    )
    await team.api.post(`/emails/${ids[1]}/cancel`)
    expect((await walk(team, "to=odd@example.com&tag=half:first&limit=1")).ids).toEqual([
      ids[3],
      ids[1],
    ])
    expect((await walk(team, "tag=half:first&to=odd@example.com&status=cancelled")).ids).toEqual([
      ids[1],
    ])
    expect((await walk(team, "tag=half:second&campaignId=cmp_none")).ids).toEqual([])
  })

  it("shows what was created since a time and before another, with every other filter", async () => {
    const team = await makeTeam()
    const noon = Date.parse("2026-03-01T12:00:00Z")
    const ids = await insertEach(team, [noon - 1, noon, noon + 1, noon + 2, noon + 2, noon + 3])
    const [early, first, second, third, fourth, late] = ids as [string, ...string[]]
    const inRange = [fourth, third, second, first]
    const at = (time: number) => encodeURIComponent(new Date(time).toISOString())
    const range = `since=${at(noon)}&until=${at(noon + 3)}`
    for (const filter of [
      "limit=25",
      "limit=2",
      "status=bounced",
      "status=bounced&limit=1",
      "to=ann@example.com&limit=3",
      "tag=kind:a&limit=1",
      `campaignId=${CAMPAIGN}&limit=2`,
      `domainId=${DOMAIN}&limit=1`,
      "to=ann@example.com&tag=kind&status=bounced&limit=2",
    ]) {
      expect([filter, (await walk(team, `${range}&${filter}`)).ids]).toEqual([filter, inRange])
    }
    expect((await walk(team, `since=${at(noon + 2)}`)).ids).toEqual([late, fourth, third])
    expect((await walk(team, `until=${at(noon)}`)).ids).toEqual([early])
    expect((await walk(team, "since=0001-01-01T00:00:00Z&until=9999-01-01T00:00:00Z")).ids).toEqual(
      ids.toReversed(),
    )
    expect((await walk(team, `since=${at(noon + 3)}&until=${at(noon)}`)).ids).toEqual([])
    for (const plus of ["%2B", "+"]) {
      const query = `since=2026-03-01T13:00:00${plus}01:00&limit=2`
      expect((await walk(team, query)).ids).toHaveLength(5)
    }
  })

  it("goes through a range whose emails mostly do not match, and stops at its beginning", async () => {
    const team = await makeTeam()
    const start = Date.parse("2026-03-01T12:00:00Z")
    const ids = await insertEach(
      team,
      Array.from({ length: 2_400 }, (_, index) => start + index),
    )
    await env.DB.prepare("update emails set status = 'sent' where team_id = ? and id in (?, ?, ?)")
      .bind(team.id, ids[1], ids[200], ids[1_900])
      .run()
    const at = (index: number) => new Date(start + index).toISOString()
    expect(await walk(team, `status=sent&since=${at(200)}&until=${at(2_000)}`)).toEqual({
      ids: [ids[1_900], ids[200]],
      pages: 2,
    })
  })

  it("has the time of creation in the id, so that a range finds what its time says", async () => {
    const team = await makeTeam()
    // Another request of this process has seen a later time.
    newId("email", Date.now() + 4_000)
    const [id] = await sendMany(team, [{}])
    const { body } = await team.api.get(`/emails/${id}`)
    expect((await walk(team, `since=${body.createdAt}`)).ids).toEqual([id])
    expect((await walk(team, `until=${body.createdAt}`)).ids).toEqual([])
  })

  it("finds rare matches among thousands over several pages", async () => {
    const team = await makeTeam()
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
       insert into emails (team_id, id, status, sender, recipients, subject, domain_id,
         created_at, not_before)
       select ?1, printf('em_%026d', i), iif(i in (5, 1200), 'sent', 'delivered'),
         '{"address":"a@b.co"}', '[]', 's', 'dom_x', 0, 0 from n`,
    )
      .bind(team.id)
      .run()
    const { ids, pages } = await walk(team, "status=sent")
    expect(ids).toEqual([`em_${"1200".padStart(26, "0")}`, `em_${"5".padStart(26, "0")}`])
    expect(pages).toBe(3)
    expect((await walk(team, "status=delivered&limit=100")).ids).toHaveLength(2498)
  })

  it.each([
    "status=read",
    "to=no",
    "tag=",
    "status=",
    "since=2026-03-01",
    "until=2026-03-01T12:00:00",
    "until=",
  ])("refuses %s", async (query) => {
    const { api } = await makeTeam()
    const reply = await api.get(`/emails?${query}`)
    expect(reply.status).toBe(400)
    expect(reply.body.error.details[0].path).toEqual([query.split("=")[0]])
  })
})

describe("cancelling", () => {
  it("of a scheduled email is shown on its timeline, and may be repeated", async () => {
    const team = await makeTeam()
    const [id] = await sendMany(team, [{}])
    const first = await team.api.post(`/emails/${id}/cancel`)
    expect([first.status, first.body.status]).toEqual([200, "cancelled"])
    const again = await team.api.post(`/emails/${id}/cancel`)
    expect([again.status, again.body]).toEqual([200, first.body])
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body.events).toMatchObject([{ type: "cancelled" }])
  })

  it.each(["sending", "sent", "delivered", "failed"])("is refused from %s on", async (status) => {
    const team = await makeTeam()
    const [id] = await sendMany(team, [{}])
    await env.DB.prepare("update emails set status = ? where id = ?").bind(status, id).run()
    const reply = await team.api.post(`/emails/${id}/cancel`)
    expect([reply.status, reply.body.error.code]).toEqual([409, "conflict"])
    expect((await team.api.get(`/emails/${id}`)).body.events).toEqual([])
  })
})

describe("rescheduling", () => {
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()

  it("moves a scheduled email, and it goes out then", async () => {
    const team = await makeTeam()
    const [id] = await sendMany(team, [{}])
    const scheduledAt = inMs(2_000)
    const { status, body } = await team.api.patch(`/emails/${id}`, { scheduledAt })
    expect([status, body.scheduledAt]).toEqual([200, scheduledAt])
    await eventually(async () => {
      const { body: email } = await team.api.get(`/emails/${id}`)
      expect(email.status).toBe("delivered")
    })
  })

  it.each([
    ["the past", inMs(-1_000)],
    ["more than a year ahead", inMs(400 * DAY_MS)],
    ["null", null],
    ["a local time", "2027-01-01T00:00:00"],
  ])("to %s is refused", async (_name, scheduledAt) => {
    const team = await makeTeam()
    const [id] = await sendMany(team, [{}])
    const reply = await team.api.patch(`/emails/${id}`, { scheduledAt })
    expect([reply.status, reply.body.error.details[0].path]).toEqual([400, ["scheduledAt"]])
  })

  it("of an email that is not scheduled is a conflict", async () => {
    const team = await makeTeam()
    const [id] = await sendMany(team, [{}])
    const { body: before } = await team.api.post(`/emails/${id}/cancel`)
    const reply = await team.api.patch(`/emails/${id}`, { scheduledAt: inMs(60_000) })
    expect([reply.status, reply.body.error.code]).toEqual([409, "conflict"])
    expect((await team.api.get(`/emails/${id}`)).body).toMatchObject(before)
  })
})

describe("retention", () => {
  const rowsOf = async (team: Team) => {
    const tables = ["emails", "email_contents", "email_recipients", "email_tags", "email_events"]
    const counts = await env.DB.batch<{ n: number }>(
      tables.map((table) =>
        env.DB.prepare(`select count(*) as n from ${table} where team_id = ?`).bind(team.id),
      ),
    )
    return counts.map(({ results }) => results[0]?.n)
  }
  const inDays = (days: number) => testWork({ clock: makeClock(Date.now() + days * DAY_MS) }).work

  it("purges content after 30 days and the record after 90 days", async () => {
    const team = await makeTeam()
    const [id] = await sendMany(team, [{ tags: { kind: "a" } }])
    await team.api.post(`/emails/${id}/cancel`)
    await purgeExpired(inDays(29))
    expect(await rowsOf(team)).toEqual([1, 1, 1, 2, 1])
    await purgeExpired(inDays(31))
    expect(await rowsOf(team)).toEqual([1, 0, 1, 2, 1])
    await purgeExpired(inDays(89))
    expect(await rowsOf(team)).toEqual([1, 0, 1, 2, 1])
    await purgeExpired(inDays(91))
    expect(await rowsOf(team)).toEqual([0, 0, 0, 0, 0])
  })

  it("keeps no content longer than the record", async () => {
    const team = await makeTeam()
    const [id] = await sendMany(team, [{}])
    await team.api.post(`/emails/${id}/cancel`)
    const clock = makeClock(Date.now() + 8 * DAY_MS)
    await purgeExpired(testWork({ clock, settings: { RECORD_RETENTION_DAYS: "7" } }).work)
    expect(await rowsOf(team)).toEqual([0, 0, 0, 0, 0])
  })

  it("takes large content out of R2 too", async () => {
    const team = await makeTeam()
    const html = Array.from({ length: 4000 }, () => crypto.randomUUID()).join("")
    const [id] = await sendMany(team, [{ html }])
    expect(await env.CONTENT.head(`content/${team.id}/${id}`)).not.toBeNull()
    await team.api.post(`/emails/${id}/cancel`)
    await purgeExpired(inDays(31))
    expect(await env.CONTENT.head(`content/${team.id}/${id}`)).toBeNull()
  })

  it("takes large content out of R2 although its row cannot be deleted yet", async () => {
    const team = await makeTeam()
    const html = Array.from({ length: 4000 }, () => crypto.randomUUID()).join("")
    const [id] = await sendMany(team, [{ html }])
    await team.api.post(`/emails/${id}/cancel`)
    expect(await env.CONTENT.head(`content/${team.id}/${id}`)).not.toBeNull()
    const DB = interruptedDb(/delete from "email_contents"/, async () => {
      throw new Error("The database is away")
    })
    const clock = makeClock(Date.now() + 31 * DAY_MS)
    const purge = purgeExpired(testWork({ clock, settings: { DB } }).work)
    await expect(purge).rejects.toThrow("email_contents")
    expect(await env.CONTENT.head(`content/${team.id}/${id}`)).toBeNull()
    expect((await rowsOf(team))[1]).toBe(1)
    await purgeExpired(inDays(31))
    expect((await rowsOf(team))[1]).toBe(0)
  })

  it("keeps no message in the test inbox longer than the record of its email", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/emails", { ...message(team), scheduledAt: null })
    await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
    const messages = async () => (await team.api.get("/sandbox/messages")).body.data.length
    for (const [days, left] of [
      [6, 1],
      [8, 0],
    ] as const) {
      const clock = makeClock(Date.now() + days * DAY_MS)
      const { work } = testWork({ clock, settings: { RECORD_RETENTION_DAYS: "7" } })
      await createProvider(work).sweep?.()
      expect(await messages()).toBe(left)
    }
  })

  it("keeps a scheduled message in the test inbox for 30 days from when it was sent", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/emails", { ...message(team), scheduledAt: null })
    await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
    const sentAt = Date.now() + 100 * DAY_MS
    const bindSent = (sql: string) => env.DB.prepare(sql).bind(team.id, sentAt)
    await env.DB.batch([
      bindSent("update emails set scheduled_at = ?2, sent_at = ?2 where team_id = ?1"),
      bindSent("update sandbox_messages set created_at = ?2 where team_id = ?1"),
    ])
    for (const [days, left] of [
      [129, 1],
      [131, 0],
    ] as const) {
      await createProvider(inDays(days)).sweep?.()
      expect((await team.api.get("/sandbox/messages")).body.data.length).toBe(left)
    }
  })

  it("keeps emails that still wait to be sent", async () => {
    const team = await makeTeam()
    await sendMany(team, [{ scheduledAt: new Date(Date.now() + 300 * DAY_MS).toISOString() }])
    await purgeExpired(inDays(40))
    expect(await rowsOf(team)).toEqual([1, 1, 1, 0, 0])
  })

  it.each([
    ["was sent", "sent"],
    ["failed", "failed"],
  ] as const)(
    "counts the days of a scheduled email from when it %s, so that readers and reports find it",
    async (_, type) => {
      const team = await makeTeam()
      const scheduledAt = new Date(Date.now() + 100 * DAY_MS).toISOString()
      const [emailId = "", cancelled] = await sendMany(team, [{ scheduledAt }, { scheduledAt }])
      await team.api.post(`/emails/${cancelled}/cancel`)
      const ended = reportOf({ teamId: team.id, emailId }, type, Date.parse(scheduledAt))
      await recordEvents(testWork().work, [ended])
      const left = async (days: number) => {
        await purgeExpired(inDays(days))
        return (await rowsOf(team)).slice(0, 3)
      }
      expect(await left(89)).toEqual([2, 1, 2])
      expect(await left(129)).toEqual([1, 1, 1])
      expect(await left(131)).toEqual([1, 0, 1])
      expect(await left(189)).toEqual([1, 0, 1])
      expect(await left(191)).toEqual([0, 0, 0])
    },
  )

  it("are not read again each minute while they wait, and are purged once they have ended", async () => {
    const [team, busy, busyToo] = [await makeTeam(), await makeTeam(), await makeTeam()]
    const insert = ({ id }: Team, status: string, count: number) =>
      env.DB.prepare(
        `insert into emails (team_id, id, status, sender, recipients, subject, tags, domain_id,
           created_at, not_before)
         with recursive n (n) as (select 1 union all select n + 1 from n where n < ?3)
         select ?1, ?4 || printf('%05d', n), ?2, '{"address":"a@b.co"}', '[]', 's', '{}', 'dom_a', 0, 0
         from n`,
      ).bind(id, status, count, newId("email", Date.now() - 20 * DAY_MS).slice(0, -5))
    const withContent = ({ id }: Team) =>
      env.DB.prepare(
        `insert into email_contents (team_id, email_id) select team_id, id from emails where team_id = ?`,
      ).bind(id)
    await env.DB.batch([insert(busy, "sent", 3_000), withContent(busy)])
    const alone = await metered(() => purgeExpired(inDays(366)))
    const quiet = await metered(() => purgeExpired(inDays(366)))
    await env.DB.batch([
      insert(team, "scheduled", 2_000),
      insert(busyToo, "sent", 3_000),
      withContent(team),
      withContent(busyToo),
    ])
    const first = await metered(() => purgeExpired(inDays(366)))
    expect([await rowsOf(busy), await rowsOf(busyToo)]).toEqual([
      Array(5).fill(0),
      Array(5).fill(0),
    ])
    // Each purge looks through the waiting emails in one of its rounds only.
    expect(first.rowsRead - alone.rowsRead).toBeLessThan(6 * 2_000)
    const next = await metered(() => purgeExpired(inDays(366)))
    expect(next.rowsRead - quiet.rowsRead).toBeLessThan(200)
    expect(next.rowsWritten).toBeLessThan(3)
    await env.DB.prepare("update emails set status = 'cancelled' where team_id = ?")
      .bind(team.id)
      .run()
    await purgeExpired(inDays(368))
    expect(await rowsOf(team)).toEqual([0, 0, 0, 0, 0])
  })
})
