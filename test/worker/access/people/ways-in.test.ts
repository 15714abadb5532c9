import { beforeAll, describe, expect, it } from "vitest"
import { request } from "../../../support/api.ts"
import { makeAuthenticator, ORIGIN } from "../../../support/authenticator.ts"
import { directory } from "../../../support/installation.ts"
import { addPerson, cookieOf, sessionOf, signIn } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"

beforeAll(() => Promise.all([import("better-auth/minimal"), import("@better-auth/passkey")]))

describe("a passkey", () => {
  const post = (path: string, body: unknown, cookie = "") =>
    request("POST", `/dashboard${path}`, body, cookie ? { cookie } : {})

  type Abilities = Partial<Parameters<typeof makeAuthenticator>[0]>
  async function register(abilities: Abilities = {}) {
    const email = await addPerson((await makeTeam()).id, "owner")
    const cookie = cookieOf(await signIn(email))
    const device = makeAuthenticator({ origin: ORIGIN, ...abilities })
    const started = await post("/api/passkeys/options", undefined, cookie)
    const both = `${cookie}; ${cookieOf(started)}`
    const response = device.create(started.body)
    const created = await post("/api/passkeys", { name: "Laptop", response }, both)
    return { email, cookie, device, started, created, both, response }
  }

  async function use(device: ReturnType<typeof makeAuthenticator>) {
    const started = await post("/auth/passkey/options", undefined)
    const response = device.get(started.body)
    return {
      started,
      response,
      reply: await post("/auth/passkey/verify", { response }, cookieOf(started)),
    }
  }

  it("is added in a session, and signs in without a password, once a challenge", async () => {
    const { email, cookie, device, started, created, both, response } = await register()
    expect(started.body).toMatchObject({
      rp: { id: "localhost" },
      attestation: "none",
      authenticatorSelection: { userVerification: "required", residentKey: "required" },
    })
    expect(created).toMatchObject({ status: 201, body: { name: "Laptop", syncs: false } })
    expect((await post("/api/passkeys", { name: "Again", response }, both)).status).toBe(400)
    const used = await use(device)
    expect(used.started.body).not.toHaveProperty("allowCredentials")
    expect(used.reply).toMatchObject({ status: 200, body: { user: { email } } })
    expect(used.reply.headers.getSetCookie().join()).toContain("HttpOnly")
    const session = await request("GET", "/dashboard/api/session", undefined, {
      cookie: cookieOf(used.reply),
    })
    expect(session.status).toBe(200)
    const again = await post(
      "/auth/passkey/verify",
      { response: used.response },
      cookieOf(used.started),
    )
    expect(again.status).toBe(401)
    const { id } = created.body
    const renamed = await request(
      "PATCH",
      `/dashboard/api/passkeys/${id}`,
      { name: "Old" },
      { cookie },
    )
    expect(renamed.body).toMatchObject({ id, name: "Old" })
    const stranger = await sessionOf((await makeTeam()).id, "owner")
    for (const [who, status] of [
      [stranger, 404],
      [cookie, 204],
    ] as const) {
      const removed = await request("DELETE", `/dashboard/api/passkeys/${id}`, undefined, {
        cookie: who,
      })
      expect(removed.status).toBe(status)
    }
    expect((await use(device)).reply.status).toBe(401)
  })

  it("without user verification does not sign in", async () => {
    const { device } = await register({ verifies: false })
    expect((await use(device)).reply.status).toBe(401)
  })

  it("may be added with self attestation", async () => {
    const { created, device } = await register({ attestsItself: true })
    expect(created.status).toBe(201)
    expect((await use(device)).reply.status).toBe(200)
  })

  it("is not added with a certificate of the device, which nobody asked for", async () => {
    const { created } = await register({
      attestsItself: true,
      certificate: Buffer.from("0500", "hex"),
    })
    expect(created.body.error).toMatchObject({ code: "validation_error" })
  })

  it("of another site does not sign in", async () => {
    await register()
    expect((await use(makeAuthenticator({ origin: "https://evil.test" }))).reply.status).toBe(401)
  })

  it("is not removed while it is the only way to sign in", async () => {
    const { created, cookie, device } = await register()
    const remove = (id: string) =>
      request("DELETE", `/dashboard/api/passkeys/${id}`, undefined, { cookie })
    const { results } = await directory
      .prepare(`select user_id from passkeys where id = ?`)
      .bind(created.body.id)
      .all<{ user_id: string }>()
    const userId = results[0]?.user_id ?? ""
    await directory
      .prepare("update accounts set provider_id = 'github' where user_id = ?")
      .bind(userId)
      .run()
    const refused = await remove(created.body.id)
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"])
    expect((await use(device)).reply.status).toBe(200)
    await directory
      .prepare("update accounts set provider_id = 'credential' where user_id = ?")
      .bind(userId)
      .run()
    expect((await remove(created.body.id)).status).toBe(204)
  })

  it("is not added in a session that is older than a day", async () => {
    const reply = await signIn(await addPerson((await makeTeam()).id, "owner"))
    await directory
      .prepare("update sessions set created_at = ? where user_id = ?")
      .bind(Date.now() - 25 * 3_600_000, reply.body.user.id)
      .run()
    expect((await post("/api/passkeys/options", undefined, cookieOf(reply))).status).toBe(403)
  })
})
