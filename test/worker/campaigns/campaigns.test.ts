import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import type { Campaign } from "../../../src/client/types.ts"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { eraseAddress } from "../../../src/worker/erasure/erase.ts"
import { createApi, type Reply } from "../../support/api.ts"
import { campaignInput, makeBook, makeCampaign, pause } from "../../support/campaign.ts"
import { createDriver } from "../../support/driver.ts"
import { eventually } from "../../support/eventually.ts"
import { metered } from "../../support/meter.ts"
import { makePerson } from "../../support/session.ts"
import { addDomain, addKey, makeTeam, type Team } from "../../support/team.ts"
import { warmed } from "../../support/warm.ts"
import { inAnHour } from "../platform/http/examples.ts"

async function makeLayout({ id }: Team, text: string): Promise<string> {
  const layoutId = `lay_${crypto.randomUUID()}`
  await env.DB.prepare(
    "insert into layouts (team_id, id, name, blocks, created_at, updated_at) values (?, ?, 'L', ?, 0, 0)",
  )
    .bind(id, layoutId, JSON.stringify([{ kind: "text", html: text }]))
    .run()
  return layoutId
}

const ZEROS = {
  recipients: 0,
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  unsubscribed: 0,
  replied: 0,
  bounced: 0,
  complained: 0,
  failed: 0,
}

describe("a campaign", () => {
  it("is created as a draft and sends nothing", async () => {
    const team = await makeTeam()
    const input = campaignInput(team, await makeBook(team, ["a@example.com"]))
    const { status, body } = await team.api.post("/campaigns", input)
    expect(status).toBe(201)
    expect(body).toEqual({
      ...input,
      id: expect.stringMatching(/^cmp_[0-9A-HJKMNP-TV-Z]{26}$/),
      status: "draft",
      segmentId: null,
      topicId: null,
      preheader: null,
      replyTo: null,
      theme: null,
      mergeDefaults: null,
      headerLayoutId: null,
      footerLayoutId: null,
      trackOpens: null,
      trackClicks: null,
      brake: false,
      pausedReason: null,
      scheduledAt: null,
      sentAt: null,
      counts: ZEROS,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect((await team.api.get(`/campaigns/${body.id}`)).body).toEqual(body)
    expect((await team.api.get("/campaigns")).body.data).toEqual([body])
    expect((await team.api.get("/emails")).body.data).toEqual([])
  })

  it.each([
    ["name", { name: " " }],
    ["name", { name: undefined }],
    ["bookId", { bookId: null }],
    ["from", { from: "nobody" }],
    ["replyTo", { replyTo: "x" }],
    ["subject", { subject: "a\nb" }],
    ["subject", { subject: "a".repeat(999) }],
    ["blocks", { blocks: [] }],
    ["theme", { theme: "dark" }],
    ["mergeDefaults", { mergeDefaults: { name: "x" } }],
    ["mergeDefaults", { mergeDefaults: { firstName: 1 } }],
    ["brake", { brake: "yes" }],
  ])("is refused with a path: %s", async (field, change) => {
    const team = await makeTeam()
    const { status, body } = await team.api.post("/campaigns", {
      ...campaignInput(team, await makeBook(team, [])),
      ...change,
    })
    expect(status).toBe(400)
    expect(body.error.details[0].path[0]).toBe(field)
  })

  it.each(["bookId", "domainId", "headerLayoutId", "footerLayoutId"])(
    "of an unknown %s is refused, another team's too",
    async (field) => {
      const [team, other] = [await makeTeam(), await makeTeam()]
      const input = campaignInput(team, await makeBook(team, []))
      const theirs: Record<string, string> = {
        bookId: await makeBook(other, []),
        domainId: other.domainId,
      }
      for (const id of ["nonsense", theirs[field] ?? (await makeLayout(other, "x"))]) {
        const { status, body } = await team.api.post("/campaigns", { ...input, [field]: id })
        expect([status, body.error.details]).toEqual([400, { field }])
      }
    },
  )

  it("from a domain that is not verified, or an address elsewhere, is refused", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    const { body: campaign } = await team.api.get(`/campaigns/${id}`)
    const pending = await addDomain(team.id, `pending.${team.domain}`, "pending")
    const refused = [
      { domainId: pending },
      { from: "a@elsewhere.test" },
      { from: `a@not${team.domain}` },
    ]
    for (const change of refused) {
      const created = await team.api.post("/campaigns", {
        ...campaignInput(team, campaign.bookId),
        ...change,
      })
      expect([created.status, created.body.error.code]).toEqual([422, "domain_not_verified"])
      expect((await team.api.patch(`/campaigns/${id}`, change)).status).toBe(422)
    }
    expect(
      (await team.api.patch(`/campaigns/${id}`, { from: `a@sub.${team.domain}` })).status,
    ).toBe(200)
    await env.DB.prepare("update domains set status = 'pending' where id = ?")
      .bind(team.domainId)
      .run()
    expect((await team.api.post(`/campaigns/${id}/send`)).status).toBe(422)
    const scheduled = await team.api.post(`/campaigns/${id}/schedule`, { scheduledAt: inAnHour() })
    expect(scheduled.status).toBe(422)
  })

  it("is not sent with a key of another domain", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    const otherDomain = await addDomain(team.id, `other-${team.domain}`)
    const restricted = createApi(await addKey(team.id, "full", otherDomain))
    const reply = await restricted.post(`/campaigns/${id}/send`)
    expect(reply.status).toBe(403)
    expect(reply.body.error.message).toBe("This API key is restricted to another domain.")
  })

  it("has its optional fields cleared by null and left alone when omitted", async () => {
    const team = await makeTeam()
    const [headerLayoutId, footerLayoutId] = [
      await makeLayout(team, "H"),
      await makeLayout(team, "F"),
    ]
    const optional = {
      replyTo: "Help <help@example.com>",
      theme: { font: "serif" },
      mergeDefaults: { firstName: "friend", "properties.city": "town" },
      headerLayoutId,
      footerLayoutId,
    }
    const id = await makeCampaign(team, [], optional)
    const path = `/campaigns/${id}`
    expect((await team.api.patch(path, { name: "New" })).body).toMatchObject({
      name: "New",
      ...optional,
    })
    const nulls = Object.fromEntries(Object.keys(optional).map((name) => [name, null]))
    expect((await team.api.patch(path, nulls)).body).toMatchObject({ name: "New", ...nulls })
    for (const name of ["name", "bookId", "domainId", "from", "subject", "blocks", "brake"]) {
      expect((await team.api.patch(path, { [name]: null })).status).toBe(400)
    }
    expect((await team.api.patch(path, {})).status).toBe(400)
    expect((await team.api.patch(path, { status: "sent" })).status).toBe(400)
  })

  it("keeps the changes of calls at the same time, and is valid after both", async () => {
    const team = await makeTeam()
    const other = `other-${team.domain}`
    const domainId = await addDomain(team.id, other)
    const id = await makeCampaign(team)
    const patch = (changes: object) => team.api.patch(`/campaigns/${id}`, changes)
    const own = { domainId: team.domainId, from: `a@${team.domain}` }
    for (let round = 0; round < 5; round++) {
      await patch(own)
      const changes = [
        { domainId, from: `b@${other}` },
        { name: `Name ${round}` },
        { subject: "S" },
      ]
      const replies = await Promise.all(changes.map(patch))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
      const { body } = await team.api.get(`/campaigns/${id}`)
      expect(body).toMatchObject({ domainId, from: `b@${other}`, name: `Name ${round}` })
    }
    await Promise.all([patch(own), patch({ from: `c@${other}` })])
    expect((await team.api.get(`/campaigns/${id}`)).body).toMatchObject(own)
  })

  it("that is scheduled becomes a draft by a real change only", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    const path = `/campaigns/${id}`
    const scheduledAt = inAnHour()
    const scheduled = await team.api.post(`${path}/schedule`, { scheduledAt })
    expect(scheduled.body).toMatchObject({ status: "scheduled", scheduledAt })
    expect((await team.api.patch(path, { name: "News" })).body).toMatchObject({
      status: "scheduled",
      scheduledAt,
    })
    expect((await team.api.patch(path, { name: "Other" })).body).toMatchObject({
      status: "draft",
      scheduledAt: null,
    })
  })

  it("is scheduled into the future, at a time that is given", async () => {
    const team = await makeTeam()
    const path = `/campaigns/${await makeCampaign(team)}/schedule`
    const past = new Date(Date.now() - 1000).toISOString()
    for (const body of [
      {},
      { scheduledAt: null },
      { scheduledAt: "2030-01-01T10:00:00" },
      { scheduledAt: past },
    ]) {
      const reply = await team.api.post(path, body)
      expect([reply.status, reply.body.error.details[0].path]).toEqual([400, ["scheduledAt"]])
    }
    expect((await team.api.post(path)).status).toBe(400)
  })

  it.each([
    ["subject", { subject: "Hi {{ first_name }}" }],
    ["subject", { subject: "Choices: {{ preferencesUrl }}" }],
    ["subject", { subject: "Hi {{ firstName }" }],
    ["preheader", { preheader: "For {{ name }}" }],
    ["blocks", { blocks: [{ kind: "text", html: "Hi {{{ FIRST_NAME|there }}}" }] }],
    ["blocks", { blocks: [{ kind: "text", html: "Hi {{ <strong>firstName</strong> }}" }] }],
    ["blocks", { blocks: [{ kind: "button", label: "{{ x }}", url: "https://a.test" }] }],
  ])("with a placeholder that nothing fills in its %s is not sent", async (field, change) => {
    const team = await makeTeam()
    const path = `/campaigns/${await makeCampaign(team, ["a@example.com"], change)}`
    const refusal = { error: { code: "validation_error", details: [{ path: [field] }] } }
    expect((await team.api.post(`${path}/send`)).body).toMatchObject(refusal)
    const later = { scheduledAt: inAnHour() }
    expect((await team.api.post(`${path}/schedule`, later)).body).toMatchObject(refusal)
    expect((await team.api.get(path)).body.status).toBe("draft")
  })

  it("with a placeholder that nothing fills in a layout is not sent", async () => {
    const team = await makeTeam()
    const footerLayoutId = await makeLayout(team, "By {{ author }}")
    const id = await makeCampaign(team, ["a@example.com"], { footerLayoutId })
    const { body } = await team.api.post(`/campaigns/${id}/send`)
    expect(body.error.details).toMatchObject([{ path: ["footerLayoutId"] }])
  })

  it("is sent now without a time", async () => {
    const team = await makeTeam()
    const path = `/campaigns/${await makeCampaign(team, [])}/send`
    for (const scheduledAt of [inAnHour(), null, ""]) {
      expect((await team.api.post(path, { scheduledAt })).status).toBe(400)
    }
    expect((await team.api.post(path, "{")).status).toBe(400)
    expect((await team.api.post(path, {})).status).toBe(200)
    expect((await team.api.post(path)).status).toBe(409)
  })

  it.each<[string, Record<string, number>]>([
    [
      "draft",
      { patch: 200, schedule: 200, send: 200, cancel: 409, pause: 409, resume: 409, delete: 204 },
    ],
    [
      "scheduled",
      { patch: 200, schedule: 200, send: 200, cancel: 200, pause: 409, resume: 409, delete: 204 },
    ],
    [
      "sending",
      { patch: 409, schedule: 409, send: 409, cancel: 200, pause: 200, resume: 200, delete: 409 },
    ],
    [
      "sent",
      { patch: 409, schedule: 409, send: 409, cancel: 409, pause: 409, resume: 200, delete: 204 },
    ],
    [
      "cancelled",
      { patch: 409, schedule: 409, send: 409, cancel: 200, pause: 409, resume: 409, delete: 204 },
    ],
  ])("in status %s allows what fits", async (status, expected) => {
    const team = await makeTeam()
    for (const [call, code] of Object.entries(expected)) {
      const id = await makeCampaign(team, [])
      await env.DB.prepare("update campaigns set status = ? where id = ?").bind(status, id).run()
      const path = `/campaigns/${id}`
      const calls: Record<string, () => Promise<Reply>> = {
        patch: () => team.api.patch(path, { name: "Changed" }),
        schedule: () => team.api.post(`${path}/schedule`, { scheduledAt: inAnHour() }),
        delete: () => team.api.delete(path),
      }
      const reply = await (calls[call]?.() ?? team.api.post(`${path}/${call}`))
      expect([call, reply.status]).toEqual([call, code])
      expect((await team.api.get(path)).status).toBe(code === 204 ? 404 : 200)
    }
  })

  it("that is cancelled twice is cancelled once", async () => {
    const team = await makeTeam()
    const path = `/campaigns/${await makeCampaign(team)}`
    await team.api.post(`${path}/schedule`, { scheduledAt: inAnHour() })
    const first = await team.api.post(`${path}/cancel`)
    expect(first.body.status).toBe("cancelled")
    expect((await team.api.post(`${path}/cancel`)).body).toEqual(first.body)
  })

  it("that is deleted leaves nothing behind", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    expect((await team.api.delete(`/campaigns/${id}`)).status).toBe(204)
    expect((await team.api.get(`/campaigns/${id}`)).status).toBe(404)
    expect((await team.api.delete(`/campaigns/${id}`)).status).toBe(404)
    await eventually(async () => {
      const runs = await env.DB.prepare("select 1 from campaign_runs where campaign_id = ?")
        .bind(id)
        .all()
      expect(runs.results).toEqual([])
    })
  })

  it("that is deleted before its time is not sent", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    await team.api.post(`/campaigns/${id}/schedule`, { scheduledAt: inAnHour() })
    expect((await team.api.delete(`/campaigns/${id}`)).status).toBe(204)
    const driver = createDriver()
    await driver.pass(61)
    await driver.drain(["CAMPAIGNS"])
    expect((await team.api.get(`/emails?campaignId=${id}`)).body.data).toEqual([])
    expect((await team.api.get("/campaigns")).body.data).toEqual([])
  })

  it("counts its audience: suppressed over all contacts, eligible of the subscribed", async () => {
    const team = await makeTeam()
    const addresses = ["a", "b", "c", "d"].map((name) => `${name}@${team.domain}`)
    const id = await makeCampaign(team, addresses)
    await team.api.post("/contacts/unsubscribe", { email: addresses[0] })
    await team.api.post("/contacts/unsubscribe", { email: addresses[1] })
    for (const email of [addresses[1], addresses[2], "elsewhere@example.com"]) {
      await team.api.post("/suppressions", { email })
    }
    const { body } = await team.api.get(`/campaigns/${id}/audience`)
    expect(body).toEqual({ contacts: 4, subscribed: 2, suppressed: 2, eligible: 1 })
  })

  it("counts as suppressed who comes back after an erasure, as its fan-out does", async () => {
    const team = await makeTeam()
    const [created, imported, renamed, letGo, free] = ["a", "b", "c", "d", "e"].map(
      (name) => `${name}@${team.domain}`,
    ) as [string, string, string, string, string]
    const id = await makeCampaign(team, [created, imported, renamed, letGo, `old@${team.domain}`])
    const { body: campaign } = await team.api.get(`/campaigns/${id}`)
    const contacts = `/contact-books/${campaign.bookId}/contacts`
    const driver = createDriver()
    const ctx = createKeyCtx(driver.work, sha256Hex(team.api.key), "full")
    for (const address of [created, imported, renamed, letGo]) await eraseAddress(ctx, address)
    const audience = async () => (await team.api.get(`/campaigns/${id}/audience`)).body
    expect(await audience()).toEqual({ contacts: 1, subscribed: 1, suppressed: 0, eligible: 1 })

    const { body: list } = await team.api.get(contacts)
    await team.api.patch(`${contacts}/${list.data[0].id}`, { email: renamed })
    await team.api.post(contacts, { email: created })
    await team.api.post(`${contacts}/import`, { csv: `email,subscribed\n${imported},no\n${free},` })
    await team.api.post(contacts, { email: letGo })
    expect((await team.api.delete(`/suppressions/${letGo}`)).status).toBe(204)
    expect(await audience()).toEqual({ contacts: 5, subscribed: 4, suppressed: 3, eligible: 2 })

    await team.api.post(`/campaigns/${id}/send`)
    await eventually(async () => {
      const { body } = await team.api.get(`/campaigns/${id}`)
      expect([body.status, body.counts.recipients]).toEqual(["sent", 2])
    })
  })

  it("counts its audience in one round trip, and reads on only where somebody was erased", async () => {
    const team = await makeTeam()
    const addresses = Array.from({ length: 300 }, (_, index) => `${index}@${team.domain}`)
    const id = await makeCampaign(team, addresses)
    const count = () => team.api.get(`/campaigns/${id}/audience`)
    await warmed(team.api)
    await team.api.post("/suppressions", { email: `0@${team.domain}` })
    const without = await metered(count)
    expect(without).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(without.rowsRead).toBeLessThan(15)
    const ctx = createKeyCtx(createDriver().work, sha256Hex(team.api.key), "full")
    await eraseAddress(ctx, `1@${team.domain}`)
    expect(await metered(count)).toMatchObject({ roundTrips: 2, rowsWritten: 0 })
  })

  it("looks for erased addresses among the newest contacts, however large the book", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, ["ada@example.com"])
    const { body: campaign } = await team.api.get(`/campaigns/${id}`)
    const ctx = createKeyCtx(createDriver().work, sha256Hex(team.api.key), "full")
    await eraseAddress(ctx, "ada@example.com")
    await env.DB.prepare(
      `insert into contacts (team_id, book_id, id, email, created_at, updated_at)
       with recursive n (n) as (select 1 union all select n + 1 from n where n < 12345)
       select ?1, ?2, 'ct_' || printf('%026d', n), n || '@example.com', 0, ?3 from n`,
    )
      .bind(team.id, campaign.bookId, Number.MAX_SAFE_INTEGER)
      .run()
    const contacts = `/contact-books/${campaign.bookId}/contacts`
    await team.api.post(contacts, { email: "ada@example.com" })
    const { roundTrips, rowsRead } = await metered(async () => {
      const { body } = await team.api.get(`/campaigns/${id}/audience`)
      expect(body.suppressed).toBe(1)
    })
    expect(roundTrips).toBeLessThanOrEqual(3)
    expect(rowsRead).toBeLessThan(12_000)
  })

  it("is listed to the dashboard without its contents", async () => {
    const team = await makeTeam()
    const owner = await makePerson(team.id, "owner")
    await makeCampaign(team, [])
    await pause(team, await makeCampaign(team, []))
    for (const query of ["", "?status=draft", "?limit=1"]) {
      const { body } = await team.api.get(`/campaigns${query}`)
      const data = body.data.map((campaign: Campaign) => {
        const { id, name, status, pausedReason, scheduledAt, sentAt, updatedAt, counts } = campaign
        return { id, name, status, pausedReason, scheduledAt, sentAt, updatedAt, counts }
      })
      expect((await owner.get(`/campaign-rows${query}`)).body).toEqual({ ...body, data })
    }
  })

  it("is listed by status, a page at a time, in one round trip", async () => {
    const team = await makeTeam()
    const bookId = await makeBook(team, [])
    const ids = []
    for (let index = 0; index < 60; index++) {
      const { body } = await team.api.post("/campaigns", campaignInput(team, bookId))
      ids.unshift(body.id)
    }
    for (const id of ids.slice(0, 3)) await pause(team, id)
    const drafts = await team.api.get("/campaigns?status=draft&limit=50")
    expect(drafts.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(3, 53))
    const rest = await team.api.get(`/campaigns?status=draft&cursor=${drafts.body.nextCursor}`)
    expect(rest.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(53))
    expect(rest.body.nextCursor).toBeNull()
    expect((await team.api.get("/campaigns?status=sending")).body.data).toHaveLength(3)
    expect((await team.api.get("/campaigns?status=paused")).status).toBe(400)
    await warmed(team.api)
    for (const path of ["/campaigns", "/campaigns?status=sending", `/campaigns/${ids[5]}`]) {
      const meter = await metered(() => team.api.get(path))
      expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
      expect(meter.rowsRead).toBeLessThanOrEqual(60)
    }
  })
})
