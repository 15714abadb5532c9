import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { countedAt } from "../../../src/worker/stats/counters.ts"
import { request } from "../../support/api.ts"
import { PERSON_ROUND_TRIPS } from "../../support/installation.ts"
import { acceptForLater } from "../../support/mail.ts"
import { metered } from "../../support/meter.ts"
import { sessionOf } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

async function open() {
  const team = await makeTeam()
  const cookie = await sessionOf(team.id, "member")
  const get = (path: string) => request("GET", `/dashboard/api${path}`, undefined, { cookie })
  const search = async (q: string, more = "") =>
    (await get(`/search?q=${encodeURIComponent(q)}${more}`)).body
  return { team, get, search }
}

const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

describe("the search by id", () => {
  it("finds an email by its id, and the emails of a campaign or sequence, in one round trip", async () => {
    const { team, search } = await open()
    const [first, second, third] = [
      await acceptForLater(team),
      await acceptForLater(team),
      await acceptForLater(team),
    ]
    const [campaignId, sequenceId] = [newId("campaign"), newId("sequence")]
    const setSender = env.DB.prepare("update emails set campaign_id = ?1 where id = ?2")
    await env.DB.batch([setSender.bind(campaignId, second), setSender.bind(sequenceId, third)])
    for (const [q, object, ids] of [
      [` ${first} `, { type: "emails", id: first }, [first]],
      [first.toLowerCase(), { type: "emails", id: first }, [first]],
      [campaignId, { type: "campaigns", id: campaignId }, [second]],
      [sequenceId, { type: "sequences", id: sequenceId }, [third]],
      ["status:scheduled", null, []],
    ] as const) {
      const cost = await metered(async () => {
        const found = await search(q)
        expect([q, found.object, idsOf(found)]).toEqual([q, object, ids])
      })
      expect(cost.rowsWritten).toBe(0)
      expect(cost.roundTrips).toBeLessThanOrEqual(1 + PERSON_ROUND_TRIPS)
    }
  })

  it("names another object by its id, and no email of another team", async () => {
    const { search } = await open()
    const other = await makeTeam()
    const theirs = await acceptForLater(other)
    expect(await search(theirs)).toEqual({ object: null, data: [], nextCursor: null })
    const id = newId("delivery")
    expect((await search(id)).object).toEqual({ type: "deliveries", id })
  })
})

describe("a recipient", () => {
  it("has suppression, consent and mail, in one round trip", async () => {
    const { team, get } = await open()
    const id = await acceptForLater(team, { to: "ada@example.com" })
    const book = await team.api.post("/contact-books", { name: "Readers" })
    const contact = await team.api.post(`/contact-books/${book.body.id}/contacts`, {
      email: "ada@example.com",
      firstName: "Ada",
    })
    await team.api.post("/suppressions", { email: "ada@example.com", note: "By phone" })
    const cost = await metered(async () => {
      const { status, body } = await get("/recipients/ADA%40example.com")
      expect(status).toBe(200)
      expect(body).toMatchObject({
        email: "ada@example.com",
        suppression: { reason: "manual", note: "By phone", sourceEmailId: null },
        contacts: [{ bookName: "Readers", contactId: contact.body.id, subscribed: true }],
        emails: { data: [{ id }], nextCursor: null },
      })
    })
    expect(cost).toMatchObject({ roundTrips: 1 + PERSON_ROUND_TRIPS, rowsWritten: 0 })
    expect((await get("/recipients/nobody@example.com")).body).toMatchObject({
      suppression: null,
      contacts: [],
      emails: { data: [] },
    })
    expect((await get("/recipients/nobody")).status).toBe(404)
  })
})

describe("the overview", () => {
  it("counts 24 hours against the seven days before, in one round trip", async () => {
    const { team, get } = await open()
    const now = Date.now()
    const counts = (daysAgo: number, quarters: number[]) => {
      const { day, quarter } = countedAt(now - daysAgo * 86_400_000)
      return env.DB.prepare(
        "insert into stats_days (team_id, day, quarters) values (?, ?, ?)",
      ).bind(team.id, day, JSON.stringify({ [quarter]: quarters }))
    }
    await env.DB.batch([
      counts(0, [100, 6, 0, 90]),
      counts(1, [70, 7, 0, 63]),
      counts(8, [9, 0, 0]),
    ])
    const cost = await metered(async () => {
      const { body } = await get("/overview")
      expect(body.today).toEqual({ sent: 100, delivered: 90, bounced: 6, complained: 0 })
      expect(body.usual).toEqual({ sent: 10, delivered: 9, bounced: 1, complained: 0 })
      expect(body.alerts[0]).toMatchObject({ kind: "bounce", level: "critical", rate: 0.06 })
    })
    // the people of the team are in the directory too
    expect(cost).toMatchObject({ roundTrips: 1 + 2 * PERSON_ROUND_TRIPS, rowsWritten: 0 })
    expect(cost.rowsRead).toBeLessThan(40)
  })

  it("lists the missing steps of the set-up, and what is broken", async () => {
    const { team, get } = await open()
    const checklist = async () => (await get("/overview")).body.checklist
    expect(await checklist()).toEqual({
      domainVerified: true,
      keyCreated: true,
      firstEmailSent: false,
      webhookCreated: false,
      postalAddressSet: false,
      secondMember: false,
    })
    await acceptForLater(team)
    const hook = { url: "https://example.com/hook", events: ["email.sent"] }
    const { body } = await team.api.post("/webhooks", hook)
    // As the service does when the receiver has failed for days: not a person's own choice.
    await env.DB.prepare(
      "update webhooks set enabled = 0, disabled_reason = 'failing' where id = ?",
    )
      .bind(body.id)
      .run()
    await sessionOf(team.id, "owner")
    await env.DB.prepare("update teams set postal_address = 'x' where id = ?").bind(team.id).run()
    expect(await checklist()).toMatchObject({
      firstEmailSent: true,
      webhookCreated: true,
      postalAddressSet: true,
      secondMember: true,
    })
    const { alerts, usual } = (await get("/overview")).body
    expect(usual).toBeNull()
    expect(alerts).toEqual([
      {
        kind: "webhook",
        level: "warning",
        rate: null,
        id: body.id,
        label: "https://example.com/hook",
      },
    ])
  })
})
