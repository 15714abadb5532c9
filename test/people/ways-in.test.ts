import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { createApp } from "../../src/app.ts"
import { newId } from "../../src/lib/id.ts"
import { request } from "../support/api.ts"
import { makeAuthenticator, ORIGIN } from "../support/authenticator.ts"
import { fakeOutside } from "../support/outside.ts"
import { addPerson, cookieOf, sessionOf, signIn } from "../support/session.ts"
import { makeTeam } from "../support/team.ts"

beforeAll(() => Promise.all([import("better-auth/minimal"), import("@better-auth/passkey")]))

describe("a passkey", () => {
  const post = (path: string, body: unknown, cookie = "") =>
    request("POST", `/dashboard${path}`, body, cookie ? { cookie } : {})

  async function register(verifies = true) {
    const email = await addPerson((await makeTeam()).id, "owner")
    const cookie = cookieOf(await signIn(email))
    const device = makeAuthenticator({ origin: ORIGIN, verifies })
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

  it("that did not check its owner does not sign in", async () => {
    const { device } = await register(false)
    expect((await use(device)).reply.status).toBe(401)
  })

  it("of another site does not sign in", async () => {
    await register()
    expect((await use(makeAuthenticator({ origin: "https://evil.test" }))).reply.status).toBe(401)
  })

  it("is not added in a session that is older than a day", async () => {
    const reply = await signIn(await addPerson((await makeTeam()).id, "owner"))
    await env.DB.prepare("update sessions set created_at = ? where user_id = ?")
      .bind(Date.now() - 25 * 3_600_000, reply.body.user.id)
      .run()
    expect((await post("/api/passkeys/options", undefined, cookieOf(reply))).status).toBe(403)
  })
})

describe("a sign-in through GitHub", () => {
  const SETTINGS = { BASE_URL: ORIGIN, GITHUB_CLIENT_ID: "id", GITHUB_CLIENT_SECRET: "a secret" }
  const ask = (path: string, init: RequestInit = {}, settings = SETTINGS as object) =>
    createApp().fetch(
      new Request(`${ORIGIN}/dashboard/auth${path}`, init),
      { ...env, ...settings },
      createExecutionContext(),
    )
  const start = (settings?: object) =>
    ask(
      "/sign-in/social",
      { method: "POST", body: JSON.stringify({ provider: "github" }) },
      settings,
    )

  async function through(email: string, verified = true) {
    const outside = fakeOutside({
      "github.com": () => Response.json({ access_token: "gh-token", token_type: "bearer" }),
      "api.github.com": ({ url }) =>
        Response.json(
          url.endsWith("/emails")
            ? [{ email, primary: true, verified }]
            : { id: email, login: "ada", name: "Ada", email },
        ),
    })
    try {
      const started = await start()
      const { url } = await started.json<{ url: string }>()
      const state = new URL(url).searchParams.get("state")
      expect(new URL(url).searchParams.get("redirect_uri")).toBe(
        `${ORIGIN}/dashboard/auth/callback/github`,
      )
      const cookie = started.headers
        .getSetCookie()
        .map((one) => one.split(";")[0])
        .join("; ")
      const callback = `/callback/github?code=abc&state=${state}`
      const forged = await ask(callback)
      expect(forged.headers.get("location")).toBe("/dashboard/sign-in?error=refused")
      return await ask(callback, { headers: { cookie } })
    } finally {
      outside.mockRestore()
    }
  }

  it("is there only with both settings", async () => {
    expect((await start({ GITHUB_CLIENT_ID: "id", BASE_URL: ORIGIN })).status).toBe(404)
    expect(await (await ask("/methods")).json()).toMatchObject({ google: false, github: true })
  })

  it("signs in a person who exists, and keeps no token of GitHub's", async () => {
    const email = await addPerson((await makeTeam()).id, "owner")
    const reply = await through(email)
    expect([reply.status, reply.headers.get("location")]).toEqual([302, "/dashboard"])
    const cookie = reply.headers.getSetCookie().find((one) => one.includes("session_token"))
    const session = await ask("/get-session", { headers: { cookie: cookie?.split(";")[0] ?? "" } })
    expect(await session.json()).toMatchObject({ user: { email } })
    const account = await env.DB.prepare(
      "select * from accounts where provider_id = 'github'",
    ).first()
    expect(account).toMatchObject({ access_token: null, refresh_token: null, id_token: null })
  })

  it("refuses a stranger, and an address that GitHub did not verify", async () => {
    const stranger = await through("stranger@people.test")
    expect(stranger.headers.get("location")).toBe("/dashboard/sign-in?error=no_account")
    const email = await addPerson((await makeTeam()).id, "owner")
    const unverified = await through(email, false)
    expect(unverified.headers.get("location")).toBe("/dashboard/sign-in?error=email_not_verified")
    expect(unverified.headers.getSetCookie().join()).not.toContain("session_token=ey")
    const { results } = await env.DB.prepare(
      "select * from users where email like 'stranger@%'",
    ).all()
    expect(results).toEqual([])
  })

  it("makes a person who was invited under the verified address a member", async () => {
    const team = await makeTeam()
    const email = "invited@people.test"
    await env.DB.prepare(
      `insert into invitations (team_id, id, email, role, mailed_hash, copied_hash, created_at, expires_at)
       values (?, ?, ?, 'member', 'm', 'c', 0, ?)`,
    )
      .bind(team.id, newId("invitation"), email, Date.now() + 60_000)
      .run()
    expect((await through(email, false)).headers.get("location")).toContain("error=no_account")
    expect((await through(email)).headers.get("location")).toBe("/dashboard")
    const member = await env.DB.prepare(
      "select role from members m join users u on u.id = m.user_id where u.email = ? and team_id = ?",
    )
      .bind(email, team.id)
      .first()
    expect(member).toEqual({ role: "member" })
  })
})
