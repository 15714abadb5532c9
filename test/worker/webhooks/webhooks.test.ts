import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { makePerson } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

const EVENTS = ["email.sent", "email.delivered"]

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

describe("a webhook", () => {
  it("is created with a secret that is shown once and kept sealed", async () => {
    const { api } = await makeTeam()
    const { url } = internet.receiver()
    const created = await api.post("/webhooks", { url, events: [...EVENTS, ...EVENTS] })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: expect.stringMatching(/^wh_[0-9A-Z]{26}$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9]{44}$/),
    })
    const read = await api.get(`/webhooks/${created.body.id}`)
    expect(read.body).toEqual({
      id: created.body.id,
      name: null,
      url,
      events: EVENTS,
      format: "edgepost",
      enabled: true,
      failingSince: null,
      disabledReason: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect((await api.get("/webhooks")).body).toEqual({ data: [read.body], nextCursor: null })
    const row = await env.DB.prepare("select * from webhooks where id = ?")
      .bind(created.body.id)
      .first()
    expect(JSON.stringify(row)).not.toContain(created.body.secret.slice(6))
    expect(row?.secret).toMatch(/^test:/)
  })

  it("may have a name, which the audit log shows in place of the host", async () => {
    const { api, id: teamId } = await makeTeam()
    const owner = await makePerson(teamId, "owner")
    const { url } = internet.receiver()
    const { body } = await api.post("/webhooks", { name: " Billing ", url, events: EVENTS })
    const path = `/webhooks/${body.id}`
    expect((await api.get(path)).body.name).toBe("Billing")
    expect((await api.patch(path, { name: "" })).body.name).toBe(null)
    expect((await api.patch(path, { name: "x".repeat(65) })).status).toBe(400)
    await api.patch(path, { name: "Sales" })
    const { data } = (await owner.get("/audit-log")).body
    const labels = data.map(({ object }: { object: { label: string } }) => object.label)
    expect(labels.slice(0, 3)).toEqual([new URL(url).host, "Billing", "Billing"])
  })

  it.each([
    { url: "http://receiver.example.com/" },
    { url: "ftp://receiver.example.com/" },
    { url: "https://user:pass@receiver.example.com/" },
    { url: `https://receiver.example.com/${"x".repeat(2048)}` },
    { url: "https://@receiver.example.com/" },
    { url: "https://:@receiver.example.com/" },
    { url: "https:user@receiver.example.com/" },
    { url: "https:/\t/@receiver.example.com/" },
    { url: "https://localhost../hook" },
    { url: "https://127.0.0.1/" },
    { url: "https://2130706433/" },
    { url: "https://localhost/" },
    { url: "https://rebinding.example/" },
    { url: "not a url" },
    { name: "two\nlines" },
    { events: [] },
    { events: ["email.teleported"] },
    { events: "email.sent" },
    { url: undefined },
    { events: undefined },
  ])("is not created with %j", async (wrong) => {
    internet.names.set("rebinding.example", ["93.184.215.14", "10.0.0.1"])
    const { api } = await makeTeam()
    const { url } = internet.receiver()
    const refused = await api.post("/webhooks", { url, events: EVENTS, ...wrong })
    expect(refused.status).toBe(400)
    expect(refused.body.error.code).toBe("validation_error")
    expect((await api.get("/webhooks")).body.data).toEqual([])
  })

  it.each([
    { url: `https:${"x".repeat(100_000)}` },
    { url: `https://receiver.example.com/${"x".repeat(1_000_000)}` },
    { events: Array.from({ length: 70_000 }, () => "email.none") },
    { events: Array.from({ length: 70_000 }, () => "email.sent") },
  ])("of an enormous list or URL is refused with a short reply", async (wrong) => {
    const { api } = await makeTeam()
    const { url } = internet.receiver()
    const refused = await api.post("/webhooks", { url, events: EVENTS, ...wrong })
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.body).length).toBeLessThan(1_000)
  })

  it("is created, as an API key is, with a reply that no cache may store", async () => {
    const { api } = await makeTeam()
    const { url } = internet.receiver()
    const created = await api.post("/webhooks", { url, events: EVENTS })
    const key = await api.post("/api-keys", { name: "CI" })
    for (const { headers } of [created, key]) {
      expect(headers.get("cache-control")).toBe("no-store")
    }
    expect((await api.get("/webhooks")).headers.get("cache-control")).toBe("no-store")
  })

  it("is created when the look-up of its host fails, because every attempt looks it up again", async () => {
    const { api } = await makeTeam()
    internet.names.set("broken.example", null)
    const created = await api.post("/webhooks", { url: "https://broken.example/", events: EVENTS })
    expect(created.status).toBe(201)
  })

  it("is refused if the team has 50", async () => {
    const { api } = await makeTeam()
    const { url } = internet.receiver()
    const create = () => api.post("/webhooks", { url, events: EVENTS })
    for (let i = 0; i < 50; i++) expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(409)
    const first = (await api.get("/webhooks?limit=30")).body
    const second = (await api.get(`/webhooks?limit=30&cursor=${first.nextCursor}`)).body
    expect(second.nextCursor).toBeNull()
    const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(50)
    expect(ids).toEqual(ids.toSorted().reverse())
  })

  it("is refused to one of two calls that race for the 50th", async () => {
    const { api } = await makeTeam()
    const { url } = internet.receiver()
    const create = () => api.post("/webhooks", { url, events: EVENTS })
    for (let i = 0; i < 49; i++) await create()
    const replies = await Promise.all([create(), create(), create()])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  })

  it("keeps the fields that an update does not name", async () => {
    const { api } = await makeTeam()
    const { url } = internet.receiver()
    const { id } = (await api.post("/webhooks", { url, events: EVENTS })).body
    const moved = internet.receiver().url
    expect((await api.patch(`/webhooks/${id}`, { url: moved })).body).toMatchObject({
      url: moved,
      events: EVENTS,
      format: "edgepost",
      enabled: true,
    })
    expect((await api.patch(`/webhooks/${id}`, { events: ["campaign.sent"] })).body).toMatchObject({
      url: moved,
      events: ["campaign.sent"],
    })
    expect((await api.patch(`/webhooks/${id}`, { enabled: false })).body).toMatchObject({
      enabled: false,
      disabledReason: null,
    })
    for (const wrong of [{}, { title: "x" }, { url: "https://10.0.0.1/" }, { enabled: null }]) {
      expect((await api.patch(`/webhooks/${id}`, wrong)).status).toBe(400)
    }
  })

  it("keeps a url without the spaces around it", async () => {
    const { api } = await makeTeam()
    const { body } = await api.post("/webhooks", {
      url: " https://receiver.example.com/hook\n",
      events: ["email.sent"],
    })
    const read = await api.get(`/webhooks/${body.id}`)
    expect(read.body.url).toBe("https://receiver.example.com/hook")
  })

  it("is not found once it is deleted, and never by another team", async () => {
    const { api } = await makeTeam()
    const stranger = (await makeTeam()).api
    const { url } = internet.receiver()
    const { id } = (await api.post("/webhooks", { url, events: EVENTS })).body
    const calls = [
      () => stranger.get(`/webhooks/${id}`),
      () => stranger.patch(`/webhooks/${id}`, { enabled: false }),
      () => stranger.delete(`/webhooks/${id}`),
      () => stranger.post(`/webhooks/${id}/test`),
      () => stranger.post(`/webhooks/${id}/backfill`, { after: 0 }),
    ]
    for (const call of calls) expect((await call()).status).toBe(404)
    expect((await api.delete(`/webhooks/${id}`)).status).toBe(204)
    expect((await api.get(`/webhooks/${id}`)).status).toBe(404)
    expect((await api.delete(`/webhooks/${id}`)).status).toBe(404)
  })
})
