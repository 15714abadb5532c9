import { createExecutionContext } from "cloudflare:test"
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { invitedOnly } from "../../../../src/worker/access/people/sign-in/invited.ts"
import { SOCIAL_PROVIDERS } from "../../../../src/worker/access/people/sign-in/visitors-contract.ts"
import { createApp } from "../../../../src/worker/app.ts"
import { createDb } from "../../../../src/worker/platform/db/client.ts"
import { settingsSchema } from "../../../../src/worker/platform/env.ts"
import { moveAuditEntries } from "../../../../src/worker/teams/audit/move-entries.ts"
import { ORIGIN } from "../../../support/authenticator.ts"
import {
  ACME,
  type Account,
  CLIENT,
  type FakedProvider,
  fakeProvider,
  newKey,
} from "../../../support/fake-provider.ts"
import { directory, workerEnv } from "../../../support/installation.ts"
import { fakeOutside } from "../../../support/outside.ts"
import { makePerson } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"
import { directoryWork } from "../../../support/work.ts"

beforeAll(() => Promise.all([import("better-auth/minimal"), import("@better-auth/passkey")]))

const SETTINGS = {
  BASE_URL: ORIGIN,
  GOOGLE_CLIENT_ID: CLIENT.id,
  GOOGLE_CLIENT_SECRET: CLIENT.secret,
  GITHUB_CLIENT_ID: CLIENT.id,
  GITHUB_CLIENT_SECRET: CLIENT.secret,
  OIDC_PROVIDERS: JSON.stringify([ACME]),
}

const ask = (path: string, init: RequestInit = {}, settings: object = SETTINGS) =>
  createApp().fetch(
    new Request(new URL(path, ORIGIN), init),
    workerEnv(settings),
    createExecutionContext(),
  )

const cookiesOf = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ")

const start = (provider: FakedProvider, settings?: object) =>
  ask(
    "/dashboard/auth/sign-in/social",
    { method: "POST", body: JSON.stringify({ provider }) },
    settings,
  )

const countOf = (table: string, where: string, ...values: string[]) =>
  directory
    .prepare(`select count(*) as n from ${table} where ${where}`)
    .bind(...values)
    .first<number>("n")

const freshAccount = (email: string, isVerified = true): Account => ({
  sub: crypto.randomUUID(),
  email,
  isVerified,
})

describe.each([...SOCIAL_PROVIDERS, "acme"] as const)("a sign-in through %s", (provider) => {
  let there: ReturnType<typeof fakeProvider>
  beforeEach(() => {
    there = fakeProvider(provider)
  })
  afterEach(() => there.restore())

  /** Presses the button, agrees at the provider, and comes back. */
  async function signIn(account: Account) {
    const started = await start(provider)
    expect(started.status).toBe(200)
    const { url } = await started.json<{ url: string }>()
    const back = there.agree(url, account)
    return ask(back, { headers: { cookie: cookiesOf(started) } })
  }

  const leadsTo = (reply: Response) => [reply.status, reply.headers.get("location")]
  const refusal = (code: string) => [302, `/dashboard/sign-in?error=${code}`]
  const DONE = [302, "/dashboard"]

  async function sessionOf(reply: Response) {
    const session = await ask("/dashboard/api/session", { headers: { cookie: cookiesOf(reply) } })
    return { status: session.status, body: await session.json<Record<string, unknown>>() }
  }

  it("is offered only with its settings", async () => {
    const name = provider.toUpperCase()
    const settings = { BASE_URL: ORIGIN, [`${name}_CLIENT_ID`]: CLIENT.id }
    const isOidc = provider === "acme"
    expect((await start(provider, settings)).status).toBe(404)
    const methods = async (settings?: object) =>
      (await ask("/dashboard/auth/methods", {}, settings)).json()
    expect(await methods(settings)).toMatchObject({ google: false, github: false, oidc: [] })
    expect(await methods()).toMatchObject(
      isOidc ? { oidc: [{ id: "acme", name: "Acme" }] } : { [provider]: true },
    )
    const back = await ask(`/dashboard/auth/callback/${provider}?code=x&state=y`, {}, settings)
    expect(leadsTo(back)).toEqual(refusal("refused"))
  })

  it("signs in the person of the address, again and again, and keeps no token", async () => {
    const team = await makeTeam()
    const person = await makePerson(team.id, "admin")
    const account = freshAccount(person.email.toUpperCase())
    for (let i = 0; i < 2; i++) {
      const reply = await signIn(account)
      expect(leadsTo(reply)).toEqual(DONE)
      expect(reply.headers.getSetCookie().join()).toMatch(/session_token=[^;]+;.*HttpOnly/)
      expect(await sessionOf(reply)).toMatchObject({
        status: 200,
        body: { user: { id: person.id, name: "Somebody" }, team: { id: team.id }, role: "admin" },
      })
    }
    const { results } = await directory
      .prepare("select * from accounts where user_id = ? and provider_id = ?")
      .bind(person.id, provider)
      .all()
    expect(results).toMatchObject([{ access_token: null, refresh_token: null, id_token: null }])
    const profile = await person.get("/profile")
    expect(profile.body).toMatchObject({ hasPassword: true, providers: [provider] })
    const noted = await countOf("audit_log", "team_id = ? and action = 'sessions.signIn'", team.id)
    expect(noted).toBe(2)
  })

  it("finds the person by the account when its address has changed", async () => {
    const [person, other] = [
      await makePerson((await makeTeam()).id, "owner"),
      await makePerson((await makeTeam()).id, "owner"),
    ]
    const account = freshAccount(person.email)
    await signIn(account)
    const moved = await signIn({ ...account, email: other.email })
    expect((await sessionOf(moved)).body).toMatchObject({ user: { id: person.id } })
  })

  it("refuses a stranger, and makes no person", async () => {
    const account = freshAccount(`${crypto.randomUUID()}@people.test`)
    const reply = await signIn(account)
    expect(leadsTo(reply)).toEqual(refusal("no_account"))
    expect((await sessionOf(reply)).status).toBe(401)
    expect(await countOf("users", "email = ?", account.email)).toBe(0)
  })

  it("refuses an address that the provider has not verified", async () => {
    const person = await makePerson((await makeTeam()).id, "owner")
    const reply = await signIn(freshAccount(person.email, false))
    expect(leadsTo(reply)).toEqual(refusal("email_not_verified"))
    expect((await sessionOf(reply)).status).toBe(401)
    expect(await countOf("accounts", "user_id = ? and provider_id = ?", person.id, provider)).toBe(
      0,
    )
  })

  it("does not sign in a person whose address was never verified", async () => {
    const person = await makePerson((await makeTeam()).id, "owner")
    await directory
      .prepare("update users set email_verified = 0 where id = ?")
      .bind(person.id)
      .run()
    const reply = await signIn(freshAccount(person.email))
    expect(leadsTo(reply)).toEqual(refusal("email_not_verified"))
  })

  it("makes an invited person a member, if the address is verified", async () => {
    const team = await makeTeam()
    const owner = await makePerson(team.id, "owner")
    const email = `${crypto.randomUUID()}@people.test`
    await owner.post("/invitations", { email, role: "member" })
    expect(leadsTo(await signIn(freshAccount(email, false)))).toEqual(refusal("no_account"))
    const reply = await signIn(freshAccount(email))
    expect(leadsTo(reply)).toEqual(DONE)
    expect((await sessionOf(reply)).body).toMatchObject({
      user: { email, name: "Ada" },
      team: { id: team.id },
      role: "member",
    })
    expect((await owner.get("/invitations")).body.data).toEqual([])
    await moveAuditEntries(directoryWork())
    const { data } = (await owner.get("/audit-log")).body
    expect(data.map(({ action }: { action: string }) => action)).toContain("invitations.accept")
  })

  it("refuses an invitation that has expired", async () => {
    const owner = await makePerson((await makeTeam()).id, "owner")
    const email = `${crypto.randomUUID()}@people.test`
    const { body } = await owner.post("/invitations", { email, role: "member" })
    await directory
      .prepare("update invitations set expires_at = 1 where id = ?")
      .bind(body.id)
      .run()
    expect(leadsTo(await signIn(freshAccount(email)))).toEqual(refusal("no_account"))
  })

  it("works once, and only in the browser that began it", async () => {
    const person = await makePerson((await makeTeam()).id, "owner")
    const started = await start(provider)
    const { url } = await started.json<{ url: string }>()
    const back = there.agree(url, freshAccount(person.email))
    const cookie = cookiesOf(started)
    expect(leadsTo(await ask(back))).toEqual(refusal("refused"))
    const another = cookiesOf(await start(provider))
    expect(leadsTo(await ask(back, { headers: { cookie: another } }))).toEqual(refusal("refused"))
    expect(leadsTo(await ask(back, { headers: { cookie } }))).toEqual(DONE)
    expect(leadsTo(await ask(back, { headers: { cookie } }))).toEqual(refusal("refused"))
  })

  it("ends on the sign-in page when the person or the provider refuses", async () => {
    const person = await makePerson((await makeTeam()).id, "owner")
    const started = await start(provider)
    const { url } = await started.json<{ url: string }>()
    const headers = { cookie: cookiesOf(started) }
    const state = new URL(url).searchParams.get("state")
    const callback = `/dashboard/auth/callback/${provider}`
    const denied = await ask(`${callback}?error=access_denied&state=${state}`, { headers })
    expect(leadsTo(denied)).toEqual(refusal("refused"))

    const again = await start(provider)
    const { url: next } = await again.json<{ url: string }>()
    const right = new URL(there.agree(next, freshAccount(person.email)))
    right.searchParams.set("code", "guessed")
    const guessed = await ask(right.href, { headers: { cookie: cookiesOf(again) } })
    expect(leadsTo(guessed)).toEqual(refusal("refused"))
    expect((await sessionOf(guessed)).status).toBe(401)
  })

  it("redirects only to the dashboard", async () => {
    const person = await makePerson((await makeTeam()).id, "owner")
    const body = JSON.stringify({ provider, callbackURL: "https://evil.example/" })
    const started = await ask("/dashboard/auth/sign-in/social", { method: "POST", body })
    const { url } = await started.json<{ url: string }>()
    const back = there.agree(url, freshAccount(person.email))
    expect(leadsTo(await ask(back, { headers: { cookie: cookiesOf(started) } }))).toEqual(DONE)
  })
})

it("does not note that somebody has accepted an invitation that was revoked meanwhile", async () => {
  const team = await makeTeam()
  const owner = await makePerson(team.id, "owner")
  const email = `${crypto.randomUUID()}@people.test`
  await owner.post("/invitations", { email, role: "member" })
  const revoking = new Proxy(directory, {
    get(db, name) {
      if (name !== "batch") return Reflect.get(db, name).bind(db)
      return async (statements: D1PreparedStatement[]) => {
        await db.prepare("delete from invitations where email = ?").bind(email).run()
        return db.batch(statements)
      }
    },
  })
  const { create } = invitedOnly({ ...directoryWork(), db: createDb(revoking) })
  await create.after({ id: owner.id, email, name: "Ada", emailVerified: true })
  const accepted = "team_id = ? and action = 'invitations.accept'"
  expect(await countOf("audit_log", accepted, team.id)).toBe(0)
})

describe("a provider of OpenID Connect", () => {
  let there: ReturnType<typeof fakeProvider> | undefined
  afterEach(() => there?.restore())

  async function signIn(account: Account) {
    const started = await start("acme")
    const { url } = await started.json<{ url: string }>()
    const back = there?.agree(url, account) ?? ""
    const reply = await ask(back, { headers: { cookie: cookiesOf(started) } })
    return { url: new URL(url), reply }
  }

  it("is asked with a nonce, a state and the scopes of an address", async () => {
    there = fakeProvider("acme")
    const person = await makePerson((await makeTeam()).id, "owner")
    const { url, reply } = await signIn(freshAccount(person.email))
    expect(url.href).toMatch(/^https:\/\/login\.acme\.example\/authorize\?/)
    expect(url.searchParams.get("nonce")).toMatch(/\S{16,}/)
    expect(url.searchParams.get("state")).toMatch(/\S{16,}/)
    expect(url.searchParams.get("scope")).toBe("openid email profile")
    expect(reply.headers.get("location")).toBe("/dashboard")
  })

  it.each([
    ["signed with another key", async (token) => ({ ...token, key: await newKey() })],
    ["for another client", ({ claims, key }) => ({ key, claims: { ...claims, aud: "other" } })],
    [
      "of another issuer",
      ({ claims, key }) => ({ key, claims: { ...claims, iss: "https://x.test" } }),
    ],
    ["of another sign-in", ({ claims, key }) => ({ key, claims: { ...claims, nonce: "other" } })],
    ["that has expired", ({ claims, key }) => ({ key, claims: { ...claims, exp: 1 } })],
  ] satisfies [string, Parameters<typeof fakeProvider>[1]][])(
    "signs nobody in with an id token %s",
    async (_, forge) => {
      there = fakeProvider("acme", forge)
      const person = await makePerson((await makeTeam()).id, "owner")
      const { reply } = await signIn(freshAccount(person.email))
      expect(reply.headers.get("location")).toBe("/dashboard/sign-in?error=refused")
      expect(reply.headers.getSetCookie().join()).not.toContain("session_token=")
    },
  )

  it("has not verified an address if it says so in words", async () => {
    there = fakeProvider("acme", ({ claims, key }) => ({
      key,
      claims: { ...claims, email_verified: "false" },
    }))
    const person = await makePerson((await makeTeam()).id, "owner")
    const { reply } = await signIn(freshAccount(person.email))
    expect(reply.headers.get("location")).toBe("/dashboard/sign-in?error=email_not_verified")
  })

  it("is unavailable while it does not answer", async () => {
    there = fakeProvider("github")
    const reply = await start("acme")
    expect(reply.status).toBe(503)
    expect(await reply.json()).toMatchObject({ error: { code: "unavailable" } })
  })

  it.each(["10.0.0.7", "sso.internal", "sso.acme.example"])(
    "is not asked at the private address %s, except in local development",
    async (host) => {
      const asked: string[] = []
      const answer = { type: 1, data: "10.0.0.7" }
      const outside = fakeOutside({
        "cloudflare-dns.com": () => Response.json({ Status: 0, Answer: [answer] }),
        [host]: ({ url }) => {
          asked.push(url)
          return Response.json({}, { status: 404 })
        },
      })
      const discoveryUrl = `https://${host}/.well-known/openid-configuration`
      const OIDC_PROVIDERS = JSON.stringify([{ ...ACME, discoveryUrl }])
      const reply = await start("acme", { ...SETTINGS, OIDC_PROVIDERS })
      expect(reply.status).toBe(503)
      expect(asked).toEqual([])
      await start("acme", { ...SETTINGS, OIDC_PROVIDERS, WEBHOOK_ALLOW_PRIVATE: "true" })
      expect(asked).toEqual([discoveryUrl])
      outside.mockRestore()
    },
  )

  it.each([
    ["no JSON", "acme"],
    ["an address without TLS", JSON.stringify([{ ...ACME, discoveryUrl: "http://a.test/" }])],
    ["the name of Google", JSON.stringify([{ ...ACME, id: "google" }])],
    ["the same name twice", JSON.stringify([ACME, ACME])],
    ["no secret", JSON.stringify([{ ...ACME, clientSecret: "" }])],
  ])("is a setting that refuses %s", (_, text) => {
    expect(settingsSchema.shape.OIDC_PROVIDERS.safeParse(text).success).toBe(false)
  })
})
