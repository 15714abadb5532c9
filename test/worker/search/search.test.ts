import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { countedAt } from "../../../src/worker/stats/counters.ts"
import { request } from "../../support/api.ts"
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

describe("the search", () => {
  it("reads one text as an address, id, status, tag or words, in one round trip", async () => {
    const { team, search } = await open()
    const first = await acceptForLater(team, { subject: "Your Invoice 42", tags: { kind: "bill" } })
    const second = await acceptForLater(team, { subject: "Welcome", to: "ada@example.com" })
    await (await makeTeam()).api.get("/me")
    for (const [q, kind, ids] of [
      ["", "recent", [second, first]],
      [" Ada@Example.com ", "address", [second]],
      [first, "id", [first]],
      ["status:scheduled", "status", [second, first]],
      ["tag:kind:bill", "tag", [first]],
      ["tag:kind", "tag", [first]],
      ["invoice your", "subject", [first]],
      ["status:nonsense", "subject", []],
      ["%", "subject", []],
    ] as const) {
      const cost = await metered(async () => {
        const found = await search(q)
        expect([q, found.kind, idsOf(found)]).toEqual([q, kind, ids])
        expect(found.searchedBack).toBeNull()
      })
      expect(cost).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    }
  })

  it("keeps to a range of time, but finds an email by its id", async () => {
    const { team, search } = await open()
    const [before, within, after] = ["08", "09", "10"].map((day) => {
      const createdAt = Date.parse(`2026-03-${day}T12:00:00Z`)
      return { id: newId("email", createdAt), createdAt }
    })
    await env.DB.prepare(
      `insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at, not_before)
       select ?1, value ->> 'id', 'bounced', '{"address":"a@b.test"}', '[]', 'Hay', 'd',
         value ->> 'createdAt', 0 from json_each(?2)`,
    )
      .bind(team.id, JSON.stringify([before, within, after]))
      .run()
    const range = "&since=2026-03-09T00:00:00Z&until=2026-03-10T00:00:00Z"
    for (const q of ["", "status:bounced", "hay"]) {
      const found = await search(q, range)
      expect([q, idsOf(found), found.nextCursor]).toEqual([q, [within?.id], null])
    }
    expect(idsOf(await search("hay", "&since=2026-03-09T00:00:00Z&limit=1"))).toEqual([after?.id])
    expect(idsOf(await search(before?.id ?? "", range))).toEqual([before?.id])
  })

  it("names another object by its id, and no email of another team", async () => {
    const { search } = await open()
    const other = await makeTeam()
    const theirs = await acceptForLater(other)
    expect(await search(theirs)).toMatchObject({ kind: "id", object: null, data: [] })
    const id = newId("delivery")
    expect((await search(id)).object).toEqual({ type: "deliveries", id })
  })

  it("by words reads 2,000 emails a page, and says how far back it has read", async () => {
    const { team, search } = await open()
    const rows = Array.from({ length: 2_100 }, (_, index) => ({
      id: newId("email"),
      subject: index === 0 ? "The needle" : "Hay",
    }))
    await env.DB.prepare(
      `insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at, not_before)
       select ?1, value ->> 'id', 'delivered', '{"address":"a@b.test"}', '[]', value ->> 'subject', 'd', 7, 0
       from json_each(?2)`,
    )
      .bind(team.id, JSON.stringify(rows))
      .run()
    const cost = await metered(async () => {
      const page = await search("needle")
      expect(page).toMatchObject({ data: [], searchedBack: "1970-01-01T00:00:00.007Z" })
      const next = await search("needle", `&cursor=${page.nextCursor}`)
      expect(idsOf(next)).toEqual([rows[0]?.id])
      expect(next).toMatchObject({ nextCursor: null, searchedBack: null })
    })
    expect(cost.rowsRead).toBeLessThan(9_000)
    const hay = await search("hay", "&limit=2")
    expect(idsOf(hay)).toEqual([rows[2099]?.id, rows[2098]?.id])
    expect(idsOf(await search("hay", `&limit=1&cursor=${hay.nextCursor}`))).toEqual([
      rows[2097]?.id,
    ])
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
    expect(cost).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
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
    expect(cost).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
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
