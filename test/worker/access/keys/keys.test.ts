import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { createApi } from "../../../support/api.ts"
import { eventually } from "../../../support/eventually.ts"
import { addDomain, addKey, makeTeam } from "../../../support/team.ts"

describe("a new key", () => {
  it("shows its secret once, and lives as it was asked to", async () => {
    const { api, domainId } = await makeTeam()
    const { status, body } = await api.post("/api-keys", {
      name: "  CI  ",
      permission: "sending_only",
      domainId,
    })
    expect(status).toBe(201)
    expect(body.secret).toMatch(/^svc_live_[A-Za-z0-9_-]{43}$/)
    const { body: listed } = await api.get("/api-keys")
    expect(listed.data[0]).toEqual({
      id: body.id,
      name: "CI",
      permission: "sending_only",
      keyPrefix: body.secret.slice(0, 16),
      domainId,
      lastUsedAt: null,
      createdAt: expect.any(String),
    })
    expect(JSON.stringify(listed)).not.toContain(body.secret)
  })

  it("is full unless it says otherwise", async () => {
    const { api } = await makeTeam()
    const { body } = await api.post("/api-keys", { name: "CI" })
    const { body: me } = await createApi(body.secret).get("/me")
    expect(me.key).toEqual({
      id: body.id,
      name: "CI",
      permission: "full",
      keyPrefix: body.secret.slice(0, 16),
      domainId: null,
    })
  })

  it("is stored as a hash only", async () => {
    const { api } = await makeTeam()
    const { body } = await api.post("/api-keys", { name: "CI" })
    const row = await env.DB.prepare("select * from api_keys where id = ?").bind(body.id).first()
    expect(JSON.stringify(row)).not.toContain(body.secret.slice(16))
  })

  it.each([
    ["no name", {}, "name"],
    ["an empty name", { name: "  " }, "name"],
    ["a name of 65 characters", { name: "n".repeat(65) }, "name"],
    ["an unknown permission", { name: "CI", permission: "admin" }, "permission"],
    ["a name of 33 emoji", { name: "👋".repeat(33) }, "name"],
    ["half a surrogate pair in its name", { name: "a\ud800" }, "name"],
    ["a control character in its name", { name: "a\u0000b" }, "name"],
    ["a domain that is a number", { name: "CI", domainId: 1 }, "domainId"],
  ])("is refused with %s", async (_name, body, field) => {
    const { api } = await makeTeam()
    const reply = await api.post("/api-keys", body)
    expect([reply.status, reply.body.error.details[0].path]).toEqual([400, [field]])
  })

  it("is refused for a domain that is not the team's", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()]
    for (const domainId of [other.domainId, "dom_none"]) {
      const reply = await team.api.post("/api-keys", { name: "CI", domainId })
      expect(reply.status).toBe(400)
      expect(reply.body.error).toMatchObject({
        code: "validation_error",
        message: "Domain not found.",
      })
    }
  })
})

describe("a full key of one domain", () => {
  it("makes keys of that domain only", async () => {
    const { api, id, domainId } = await makeTeam()
    const other = await addDomain(id, `other-${domainId.toLowerCase().slice(-12)}.test`)
    const { body } = await api.post("/api-keys", { name: "One", domainId })
    const restricted = createApi(body.secret)
    for (const asked of [null, other, "dom_none"]) {
      const reply = await restricted.post("/api-keys", { name: "More", domainId: asked })
      expect(reply).toMatchObject({
        status: 403,
        body: {
          error: { code: "forbidden", message: "This API key is restricted to another domain." },
        },
      })
    }
    for (const asked of [undefined, domainId]) {
      const made = await restricted.post("/api-keys", { name: "More", domainId: asked })
      expect(made.status).toBe(201)
      const { key } = (await createApi(made.body.secret).get("/me")).body
      expect(key).toMatchObject({ domainId, permission: "full" })
    }
  })
})

describe("a team's keys", () => {
  it("are at most 100 live ones, also when several are made at once", async () => {
    const { api, id } = await makeTeam()
    for (let live = 2; live < 98; live++) await addKey(id)
    const make = () => api.post("/api-keys", { name: "More" })
    const replies = await Promise.all([make(), make(), make(), make()])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409])
    const refused = replies.find(({ status }) => status === 409)
    expect(refused?.body.error.code).toBe("conflict")
    const made = replies.find(({ status }) => status === 201)
    expect((await api.delete(`/api-keys/${made?.body.id}`)).status).toBe(204)
    expect((await make()).status).toBe(201)
    expect((await make()).status).toBe(409)
  })
})

describe("a revoked key", () => {
  it("is refused on the very next request, and no longer listed", async () => {
    const { api } = await makeTeam()
    const { body } = await api.post("/api-keys", { name: "Old" })
    const old = createApi(body.secret)
    expect((await old.get("/me")).status).toBe(200)
    const revoked = await api.delete(`/api-keys/${body.id}`)
    expect([revoked.status, revoked.body]).toEqual([204, ""])
    expect((await old.get("/me")).status).toBe(401)
    expect((await old.post("/emails", {})).status).toBe(401)
    const { body: listed } = await api.get("/api-keys")
    expect(listed.data.map(({ id }: { id: string }) => id)).not.toContain(body.id)
    expect((await api.delete(`/api-keys/${body.id}`)).status).toBe(404)
    expect(
      await env.DB.prepare("select revoked_at from api_keys where id = ?")
        .bind(body.id)
        .first("revoked_at"),
    ).toBeGreaterThan(0)
  })
})

describe("lastUsedAt", () => {
  const lastUsed = (id: string) =>
    env.DB.prepare("select last_used_at from api_keys where id = ?")
      .bind(id)
      .first<number>("last_used_at")

  it("is written at most once a minute", async () => {
    const { api } = await makeTeam()
    const { body } = await api.post("/api-keys", { name: "CI" })
    const used = createApi(body.secret)
    await used.get("/me")
    await eventually(async () => expect(await lastUsed(body.id)).toBeGreaterThan(0))
    const first = await lastUsed(body.id)
    await used.get("/me")
    await used.get("/emails")
    expect(await lastUsed(body.id)).toBe(first)
    await env.DB.prepare("update api_keys set last_used_at = last_used_at - 60000 where id = ?")
      .bind(body.id)
      .run()
    await used.get("/me")
    await eventually(async () => expect(await lastUsed(body.id)).toBeGreaterThanOrEqual(first ?? 0))
  })
})
