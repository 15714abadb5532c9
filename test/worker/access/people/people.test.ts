import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { HOUR_MS } from "../../../../src/lib/time.ts"
import type { Role } from "../../../../src/worker/access/people/contract.ts"
import { personStatements } from "../../../../src/worker/access/people/person.ts"
import {
  countAttempt,
  forgetOldAttempts,
} from "../../../../src/worker/access/people/sign-in/attempts.ts"
import { createApp } from "../../../../src/worker/app.ts"
import { dashboardEndpoints, endpoints, visitorEndpoints } from "../../../../src/worker/contract.ts"
import { bind } from "../../../../src/worker/platform/db/statement.ts"
import { dashboardRole, type Endpoint } from "../../../../src/worker/platform/http/endpoint.ts"
import { BASE_URL, request } from "../../../support/api.ts"
import { eventually } from "../../../support/eventually.ts"
import { directory, PERSON_ROUND_TRIPS, workerEnv } from "../../../support/installation.ts"
import { metered } from "../../../support/meter.ts"
import { addPerson, cookieOf, PASSWORD, sessionOf, signIn } from "../../../support/session.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { directoryWork, makeClock, testWork } from "../../../support/work.ts"

const as = (cookie: string, headers: Record<string, string> = {}) => ({ cookie, ...headers })
const session = (cookie: string) => request("GET", "/dashboard/api/session", undefined, as(cookie))

describe("sign-in", () => {
  it("sets a cookie that scripts cannot read and other sites' pages cannot send", async () => {
    const team = await makeTeam()
    const email = await addPerson(team.id, "admin")
    const reply = await signIn(email.toUpperCase())
    expect(reply).toMatchObject({ status: 200, body: { user: { email, name: "Somebody" } } })
    expect(Object.keys(reply.body.user).sort()).toEqual(["email", "id", "name"])
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^edgepost\.session_token=\S+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
    const { body } = await session(cookieOf(reply))
    expect(body).toMatchObject({ user: { email }, team: { id: team.id }, role: "admin" })
  })

  it("ties the cookie to this host and to TLS outside local mode", async () => {
    const email = await addPerson((await makeTeam()).id, "owner")
    const reply = await createApp().fetch(
      new Request("https://mail.example/dashboard/auth/sign-in/email", {
        method: "POST",
        body: JSON.stringify({ email, password: PASSWORD }),
      }),
      workerEnv({ BASE_URL: "https://mail.example" }),
      createExecutionContext(),
    )
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-edgepost\..*; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ])
  })

  it("gives the same reply for a wrong password and an unknown address", async () => {
    const email = await addPerson((await makeTeam()).id, "owner")
    const refusal = {
      status: 401,
      body: { error: { code: "unauthorized", message: "Wrong email or password." } },
    }
    for (const reply of [
      await signIn(email, "wrong"),
      await signIn(`no-${email}`),
      await signIn("?"),
    ]) {
      expect(reply).toMatchObject(refusal)
      expect(reply.headers.getSetCookie()).toEqual([])
    }
  })

  it.each([
    ["no JSON", "{"],
    ["no body", undefined],
    ["no password", { email: "a@b.test" }],
  ])("%s is a validation error", async (_, body) => {
    const reply = await request("POST", "/dashboard/auth/sign-in/email", body)
    expect(reply).toMatchObject({ status: 400, body: { error: { code: "validation_error" } } })
  })

  it("is refused for five minutes after ten failures with one address from one IP", async () => {
    const { id } = await makeTeam()
    const [email, other] = [await addPerson(id, "owner"), await addPerson(id, "owner")]
    const startedAt = Date.now()
    for (let i = 0; i < 10; i++) expect((await signIn(email, "wrong")).status).toBe(401)
    for (let i = 0; i < 100; i++) {
      await expect(countAttempt(directoryWork(), email, "")).rejects.toThrow("Too many attempts")
    }
    const refused = await signIn(email)
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } })
    const seconds = (Date.now() - startedAt) / 1_000
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(299 - seconds)
    expect((await signIn(other)).status).toBe(200)
    expect((await signIn(email, PASSWORD, { "cf-connecting-ip": "192.0.2.9" })).status).toBe(200)
  })

  it("takes an international domain as it is written", async () => {
    const email = await addPerson((await makeTeam()).id, "owner")
    const [name = ""] = email.split("@")
    await env.DB.prepare("update users set email = ? where email = ?")
      .bind(`${name}@xn--bcher-kva.test`, email)
      .run()
    expect((await signIn(`${name}@Bücher.test`)).status).toBe(200)
  })

  it("counts no successful attempt", async () => {
    const email = await addPerson((await makeTeam()).id, "owner")
    for (let i = 0; i < 12; i++) expect((await signIn(email)).status).toBe(200)
  })

  it("is refused for five minutes after 100 failures from one IP with any addresses", async () => {
    const clock = makeClock()
    const work = directoryWork({ clock })
    for (let i = 0; i < 100; i++) await countAttempt(work, `${i}@guess.test`, "192.0.2.1")
    await expect(countAttempt(work, "more@guess.test", "192.0.2.1")).rejects.toMatchObject({
      code: "rate_limited",
    })
    await countAttempt(work, "more@guess.test", "192.0.2.2")
    clock.advance(5 * 60_000)
    await countAttempt(work, "more@guess.test", "192.0.2.1")
    clock.advance(5 * 60_000)
    await forgetOldAttempts(work)
    const left = await directory
      .prepare("select * from sign_in_attempts where subject like '%guess%'")
      .all()
    expect(left.results).toEqual([])
  })

  it("is refused after 100 failures with one address from any IPs", async () => {
    const work = directoryWork()
    for (let i = 0; i < 100; i++) await countAttempt(work, "known@victim.test", `198.51.100.${i}`)
    await expect(countAttempt(work, "known@victim.test", "203.0.113.1")).rejects.toMatchObject({
      code: "rate_limited",
    })
  })

  it("counts an IPv6 address by its /64", async () => {
    const work = directoryWork()
    for (let i = 0; i < 100; i++) {
      await countAttempt(work, `${i}@six.test`, `2001:db8:0:7:${i.toString(16)}::1`)
    }
    const refused = countAttempt(work, "more@six.test", "2001:DB8::7:ffff:1:2:3")
    await expect(refused).rejects.toMatchObject({ code: "rate_limited" })
    await countAttempt(work, "more@six.test", "2001:db8:0:8::1")
  })

  it("still works from the owner's known network after guesses from elsewhere", async () => {
    const clock = makeClock()
    const work = directoryWork({ clock })
    const email = await addPerson((await makeTeam()).id, "owner")
    const from = (ip: string) => ({ "cf-connecting-ip": ip })
    const home = from("2001:db8:1:1::7")
    expect((await signIn(email, PASSWORD, home)).status).toBe(200)
    for (let i = 0; i < 100; i++) await countAttempt(work, email, `198.51.100.${i}`)
    expect((await signIn(email, PASSWORD, from("203.0.113.5"))).status).toBe(429)
    expect((await signIn(email, PASSWORD, from("2001:db8:1:1:ffff::8"))).status).toBe(200)
    for (let i = 0; i < 10; i++) expect((await signIn(email, "wrong", home)).status).toBe(401)
    expect((await signIn(email, PASSWORD, home)).status).toBe(429)

    clock.advance(91 * 86_400_000)
    await forgetOldAttempts(work)
    const { results } = await directory.prepare("select * from sign_in_addresses").all()
    expect(results).toEqual([])
  })

  it.each(["sign-up/email", "request-password-reset", "change-email", "update-user"])(
    "the library's %s is not there",
    async (path) => {
      expect((await request("POST", `/dashboard/auth/${path}`, {})).status).toBe(404)
    },
  )
})

describe("a session", () => {
  it("ends with sign-out", async () => {
    const cookie = await sessionOf((await makeTeam()).id, "owner")
    const got = await request("GET", "/dashboard/auth/get-session", undefined, as(cookie))
    expect(got.body.user.email).toMatch(/@people\.test$/)
    const out = await request("POST", "/dashboard/auth/sign-out", undefined, as(cookie))
    expect(out.status).toBe(200)
    expect(out.headers.getSetCookie().join()).toContain("edgepost.session_token=; Max-Age=0")
    expect((await session(cookie)).status).toBe(401)
    const none = await request("GET", "/dashboard/auth/get-session", undefined, as(cookie))
    expect([none.status, none.body]).toEqual([200, null])
  })

  it("works and can be signed out while its signing key is listed", async () => {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "owner")
    const key = "a newer key that signs from now on"
    const ask = async (SIGNING_KEY: string, method: string, path: string) => {
      const asked = new Request(`${BASE_URL}/dashboard/${path}`, { method, headers: { cookie } })
      return createApp().fetch(asked, workerEnv({ SIGNING_KEY }), createExecutionContext())
    }
    const listed = `${key},${testWork().work.settings.SIGNING_KEY}`
    expect((await ask(listed, "GET", "api/session")).status).toBe(200)
    expect((await ask(key, "GET", "api/session")).status).toBe(401)
    expect((await ask(listed, "POST", "auth/sign-out")).status).toBe(200)
    expect((await ask(listed, "GET", "api/session")).status).toBe(401)
  })

  it("ends after a day without use, and after a week of use", async () => {
    const email = await addPerson((await makeTeam()).id, "owner")
    const reply = await signIn(email)
    const { id } = reply.body.user
    const endsIn = async () =>
      ((await directory
        .prepare("select expires_at from sessions where user_id = ?")
        .bind(id)
        .first<number>("expires_at")) ?? 0) - Date.now()
    expect(Math.round((await endsIn()) / HOUR_MS)).toBe(24)

    await directory
      .prepare(
        "update sessions set created_at = ?, updated_at = ?, expires_at = ? where user_id = ?",
      )
      .bind(Date.now() - 150 * HOUR_MS, Date.now() - 20 * HOUR_MS, Date.now() + 4 * HOUR_MS, id)
      .run()
    expect((await session(cookieOf(reply))).status).toBe(200)
    await eventually(async () => expect(Math.round((await endsIn()) / HOUR_MS)).toBe(18))

    await directory
      .prepare("update sessions set expires_at = ? where user_id = ?")
      .bind(Date.now() - 1, id)
      .run()
    expect((await session(cookieOf(reply))).status).toBe(401)
  })

  it("ends when its person has 50 that were used later", async () => {
    const email = await addPerson((await makeTeam()).id, "member")
    const other = cookieOf(await signIn(await addPerson((await makeTeam()).id, "member")))
    const used = Array.from({ length: 55 }, (_, index) => Date.now() - (index + 1) * 60_000)
    await directory
      .prepare(
        `insert into sessions (token, id, user_id, expires_at, created_at, updated_at)
       select ?1 || value, ?1 || value, (select id from users where email = ?1), ?2, value, value
       from json_each(?3)`,
      )
      .bind(email, Date.now() + 3_600_000, JSON.stringify(used))
      .run()
    const cookie = cookieOf(await signIn(email))
    const { results } = await directory
      .prepare(
        `select updated_at as usedAt from sessions
       where user_id = (select id from users where email = ?) order by updated_at desc`,
      )
      .bind(email)
      .all<{ usedAt: number }>()
    expect(results.slice(1).map(({ usedAt }) => usedAt)).toEqual(used.slice(0, 49))
    for (const one of [cookie, other]) expect((await session(one)).status).toBe(200)
  })

  it("is refused with a foreign signature", async () => {
    const cookie = await sessionOf((await makeTeam()).id, "owner")
    const [token] = decodeURIComponent(cookie).split(".", 3).slice(1)
    expect(cookie).toContain(token)
    expect((await session(cookie.replace(/.{6}%3D$/, "AAAAAA%3D"))).status).toBe(401)
    expect((await session(cookie.replace(/\.[^.]*$/, ""))).status).toBe(401)
  })

  it("ends when the password is changed", async () => {
    const team = await makeTeam()
    const [email, other] = [await addPerson(team.id, "owner"), await sessionOf(team.id, "owner")]
    const cookie = cookieOf(await signIn(email))
    const person = { email, name: "Somebody", teamId: team.id, role: "owner" } as const
    const statements = await personStatements({ ...person, password: "another one" })
    await directory.batch(statements.map((statement) => bind(directory, statement)))
    expect((await session(cookie)).status).toBe(401)
    expect((await session(other)).status).toBe(200)
    expect((await signIn(email)).status).toBe(401)
    expect((await signIn(email, "another one")).status).toBe(200)
  })

  it("of a user in two teams acts for the first team, or the one that the call names", async () => {
    const [first, second] = [await makeTeam(), await makeTeam()]
    const reply = await signIn(await addPerson(first.id, "owner"))
    await directory
      .prepare("insert into members values (?, ?, 'member', 0)")
      .bind(reply.body.user.id, second.id)
      .run()
    const cookie = cookieOf(reply)
    expect((await session(cookie)).body).toMatchObject({ team: { id: first.id }, role: "owner" })
    const { body } = await request(
      "GET",
      "/dashboard/api/session",
      undefined,
      as(cookie, { "x-team-id": second.id }),
    )
    expect(body).toMatchObject({ team: { id: second.id }, role: "member" })
    expect(body.teams.map(({ id, role }: { id: string; role: Role }) => [id, role])).toEqual([
      [first.id, "owner"],
      [second.id, "member"],
    ])
  })

  it("of a user without a team may do nothing", async () => {
    const reply = await signIn(await addPerson((await makeTeam()).id, "owner"))
    await directory.prepare("delete from members where user_id = ?").bind(reply.body.user.id).run()
    expect((await session(cookieOf(reply))).status).toBe(403)
  })

  it("adds no round trip to a read", async () => {
    const cookie = await sessionOf((await makeTeam()).id, "member")
    const meter = await metered(async () => {
      const { status } = await request("GET", "/dashboard/api/api-keys", undefined, as(cookie))
      expect(status).toBe(200)
    })
    expect(meter).toMatchObject({ roundTrips: 1 + PERSON_ROUND_TRIPS, rowsWritten: 0 })
  })

  it("gives the same replies as a full key", async () => {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "owner")
    const key = await request("POST", "/dashboard/api/api-keys", { name: "Mine" }, as(cookie))
    expect(key.status).toBe(201)
    const sent = await request(
      "POST",
      "/dashboard/api/emails",
      { from: `a@${team.domain}`, to: "b@example.com", subject: "Hi", text: "Hi" },
      as(cookie),
    )
    expect(sent.status).toBe(201)
    expect((await team.api.get(`/emails/${sent.body.id}`)).status).toBe(200)
    expect((await team.api.get("/api-keys")).body.data[0].id).toBe(key.body.id)
  })
})

describe("overrideSuppression in the dashboard", () => {
  async function sendAs(role: Role) {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, role)
    await team.api.post("/suppressions", { email: "b@example.com" })
    const from = { from: `a@${team.domain}`, subject: "Hi", text: "Hi" }
    const send = async (input: object) => {
      const body = { ...from, ...input }
      return (await request("POST", "/dashboard/api/emails", body, as(cookie))).status
    }
    return { send, team, from, cookie }
  }
  const override = { overrideSuppression: true }

  it.each([
    ["owner", 201],
    ["admin", 201],
    ["member", 422],
  ] as const)("of an %s answers %d", async (role, status) => {
    const { send } = await sendAs(role)
    expect(await send({ to: "b@example.com", ...override })).toBe(status)
  })

  it("of a member is neither in the fingerprint nor in the record", async () => {
    const { send, team, from, cookie } = await sendAs("member")
    const input = { to: "c@example.com", idempotencyKey: "once" }
    expect(await send({ ...input, ...override })).toBe(201)
    expect(await send(input)).toBe(200)
    const twice = [
      { ...from, ...input, ...override, idempotencyKey: "twice" },
      { ...from, ...input, idempotencyKey: "twice" },
    ]
    const path = "/dashboard/api/emails/batch"
    expect((await request("POST", path, twice, as(cookie))).status).toBe(201)
    const { results } = await env.DB.prepare(
      "select override_suppression as override from emails where team_id = ?",
    )
      .bind(team.id)
      .all()
    expect(results).toEqual([{ override: 0 }, { override: 0 }])
  })
})

const isKeysOnly = ({ path }: Endpoint) => path === "/me"
const calls = [...endpoints.filter((endpoint) => !isKeysOnly(endpoint)), ...dashboardEndpoints]
const named = (list: readonly Endpoint[]) =>
  list.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
/** What a browser says of a call from another site's page. */
const FORGERIES: readonly Record<string, string>[] = [
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: BASE_URL.replace("http", "https") },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site", origin: BASE_URL },
]
const isUnsafe = ({ method }: Endpoint) => method !== "GET"

describe("every call of the dashboard", () => {
  let team: Team
  let cookies: Record<"owner" | "admin" | "member" | "stranger", string>
  let ids: Record<string, string>
  beforeAll(async () => {
    team = await makeTeam()
    cookies = {
      owner: await sessionOf(team.id, "owner"),
      admin: await sessionOf(team.id, "admin"),
      member: await sessionOf(team.id, "member"),
      stranger: await sessionOf((await makeTeam()).id, "owner"),
    }
    const email = { from: `a@${team.domain}`, to: "b@example.com", subject: "Hi", text: "Hi" }
    await team.api.post("/suppressions", { email: "known@example.com" })
    ids = {
      "/emails/:id": (await team.api.post("/emails", email)).body.id,
      "/api-keys/:id": (await team.api.get("/api-keys")).body.data[0].id,
      "/suppressions/:email": "known@example.com",
    }
  })

  const call = ({ method, path }: Endpoint, headers: Record<string, string>) =>
    request(
      method,
      `/dashboard/api${path.replace(/:[a-zA-Z]+/g, (name) => idFor(path, name))}`,
      method === "GET" || method === "DELETE" ? undefined : {},
      headers,
    )
  const idFor = (path: string, name: string) =>
    ids[path.slice(0, path.indexOf(name) + name.length)] ?? "unknown"

  it.each(named(calls))("%s: without a session 401", async (_, endpoint) => {
    expect((await call(endpoint, {})).status).toBe(401)
    expect((await call(endpoint, { authorization: `Bearer ${team.api.key}` })).status).toBe(401)
  })

  it.each(named(calls))("%s: another team's owner is refused", async (_, endpoint) => {
    const { status } = await call(endpoint, as(cookies.stranger, { "x-team-id": team.id }))
    expect(status).toBe(403)
  })

  it.each(named(calls.filter(isUnsafe)))(
    "%s: a forged cross-site call is refused",
    async (_, endpoint) => {
      for (const forged of FORGERIES) {
        const reply = await call(endpoint, as(cookies.owner, forged))
        expect(reply.status).toBe(403)
        expect(reply.body.error.message).toContain("another site")
      }
    },
  )

  it.each(named(calls.filter((endpoint) => dashboardRole(endpoint) === "owner")))(
    "%s: an admin is refused",
    async (_, endpoint) => {
      expect((await call(endpoint, as(cookies.admin))).status).toBe(403)
    },
  )

  it.each(named(calls.filter((endpoint) => dashboardRole(endpoint) !== "member")))(
    "%s: a member is refused",
    async (_, endpoint) => {
      expect((await call(endpoint, as(cookies.member))).status).toBe(403)
    },
  )

  /** Calls that end the session or the place of whoever calls them. */
  const lasting = calls.filter(({ name }) => !["sessions.endAll", "teams.leave"].includes(name))

  it.each(named(lasting.filter((endpoint) => dashboardRole(endpoint) === "member")))(
    "%s: a member may",
    async (_, endpoint) => {
      expect([401, 403]).not.toContain((await call(endpoint, as(cookies.member))).status)
    },
  )

  it.each(named(lasting))("%s: owner and admin may, from our own page", async (_, endpoint) => {
    const page = { origin: BASE_URL, "sec-fetch-site": "same-origin" }
    const allowed = dashboardRole(endpoint) === "owner" ? ["owner"] : ["owner", "admin"]
    for (const role of allowed as Role[]) {
      expect([401, 403]).not.toContain((await call(endpoint, as(cookies[role], page))).status)
    }
  })

  it("a member may change only mail, threads, templates, campaigns, sequences, layouts, images, views and their own sign-in", () => {
    const open = calls.filter(
      (endpoint) => isUnsafe(endpoint) && dashboardRole(endpoint) === "member",
    )
    const tags = new Set(open.map(({ tag }) => tag))
    expect(tags).toEqual(
      new Set([
        ...["Emails", "Templates", "Template drafts", "Campaigns", "Layouts", "Images"],
        ...["Dashboard", "Profile", "Received emails", "Sequences", "Team", "Threads"],
      ]),
    )
    const namesOf = (calls: typeof open) => calls.map(({ name }) => name)
    const deleting = open.filter(({ method, tag }) => method === "DELETE" && tag !== "Profile")
    expect(namesOf(deleting).sort()).toEqual(["templates.discardDraft", "views.delete"])
    expect(namesOf(open.filter(({ tag }) => tag === "Dashboard")).sort()).toEqual([
      "views.create",
      "views.delete",
      "views.update",
    ])
    expect(namesOf(open.filter(({ tag }) => tag === "Team"))).toEqual(["teams.leave"])
  })

  it("an unknown path is 401 without a session, 404 with one; so is a key's own /me", async () => {
    expect((await request("GET", "/dashboard/api/nothing")).status).toBe(401)
    for (const path of ["nothing", "me"]) {
      const reply = await request("GET", `/dashboard/api/${path}`, undefined, as(cookies.owner))
      expect(reply).toMatchObject({ status: 404, body: { error: { code: "not_found" } } })
    }
  })
})

describe("without a session", () => {
  it.each([...visitorEndpoints.filter(isUnsafe).map(({ path }) => path), "/sign-out"])(
    "POST /dashboard/auth%s: a forged cross-site call is refused",
    async (path) => {
      for (const forged of FORGERIES) {
        const reply = await request("POST", `/dashboard/auth${path}`, {}, forged)
        expect(reply.status).toBe(403)
        expect(reply.body.error.message).toContain("another site")
      }
      const page = { origin: BASE_URL, "sec-fetch-site": "same-origin" }
      const ours = await request("POST", `/dashboard/auth${path}`, {}, page)
      expect(ours.body?.error?.message ?? "").not.toContain("another site")
    },
  )
})
