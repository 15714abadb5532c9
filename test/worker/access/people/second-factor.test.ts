import { env } from "cloudflare:workers"
import { symmetricDecrypt } from "better-auth/crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { libraryKeys } from "../../../../src/worker/access/people/library/library-keys.ts"
import { askFactorRotation } from "../../../../src/worker/access/people/second-factors/reseal.sql.ts"
import { resealSecondFactors } from "../../../../src/worker/access/people/second-factors/reseal.ts"
import { readValidSessions } from "../../../../src/worker/access/people/sessions/valid-sessions.ts"
import { type Reply, request } from "../../../support/api.ts"
import { directory } from "../../../support/installation.ts"
import {
  cookieOf,
  createSession,
  makePerson,
  PASSWORD,
  type Person,
  signIn,
} from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"
import { fromBase32, totp } from "../../../support/totp.ts"
import { directoryWork, testWork } from "../../../support/work.ts"

beforeAll(() => Promise.all([import("better-auth/minimal"), import("@better-auth/passkey")]))

const withCookie = (cookie: string) => ({ cookie })
const session = (cookie: string) =>
  request("GET", "/dashboard/api/session", undefined, withCookie(cookie))
const enterCode = (cookie: string, code: string) =>
  request("POST", "/dashboard/auth/sign-in/second-factor", { code }, withCookie(cookie))

const setUp = async (person: Person) => {
  const started = await person.post("/second-factor", { password: PASSWORD })
  expect(started.status).toBe(200)
  const { secret } = started.body
  const confirmed = await person.post("/second-factor/confirm", { code: totp(secret) })
  expect(confirmed.status).toBe(200)
  return { secret, codes: confirmed.body.recoveryCodes as string[], cookie: cookieOf(confirmed) }
}

async function personWithApp() {
  const person = await makePerson((await makeTeam()).id, "owner")
  return { person, ...(await setUp(person)) }
}

/** The cookie of a sign-in that waits for the code. */
async function enterPassword(person: Person): Promise<string> {
  const reply = await signIn(person.email)
  expect(reply).toMatchObject({ status: 200, body: { user: null } })
  return cookieOf(reply)
}

const isSignedIn = async (reply: Reply) => (await session(cookieOf(reply))).status === 200

const makeStale = (person: Person) =>
  directory.prepare("update sessions set created_at = 0 where user_id = ?").bind(person.id).run()

describe("an authenticator app", () => {
  it("counts once a code has confirmed it", async () => {
    const person = await makePerson((await makeTeam()).id, "owner")
    const started = await person.post("/second-factor", { password: PASSWORD })
    const { secret, uri } = started.body
    expect(uri).toContain(`otpauth://totp/Edgepost:${encodeURIComponent(person.email)}?secret=`)
    expect(secret).toMatch(/^[A-Z2-7]{32,}$/)
    expect((await person.get("/second-factor")).body).toMatchObject({ enabled: false })
    expect((await signIn(person.email)).body).toMatchObject({ user: { email: person.email } })

    const wrong = await person.post("/second-factor/confirm", { code: "000000" })
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: "validation_error" } } })
    const confirmed = await person.post("/second-factor/confirm", { code: totp(secret) })
    expect(confirmed.status).toBe(200)
    expect(new Set(confirmed.body.recoveryCodes).size).toBe(10)
    expect(confirmed.headers.get("cache-control")).toBe("no-store")
    expect(await session(cookieOf(confirmed))).toMatchObject({
      status: 200,
      body: { secondFactor: true },
    })
    expect((await session(person.cookie)).status).toBe(401)
    const again = await request(
      "POST",
      "/dashboard/api/second-factor",
      { password: PASSWORD },
      withCookie(cookieOf(confirmed)),
    )
    expect(again.status).toBe(409)
  })

  it("needs the person's password, or of a person without one a recent sign-in", async () => {
    const person = await makePerson((await makeTeam()).id, "owner")
    for (const body of [{ password: "wrong" }, {}]) {
      expect((await person.post("/second-factor", body)).status).toBe(400)
    }
    await directory.prepare("delete from accounts where user_id = ?").bind(person.id).run()
    await makeStale(person)
    expect((await person.post("/second-factor", {})).body.error.message).toContain("ten minutes")
    await directory
      .prepare("update sessions set created_at = ? where user_id = ?")
      .bind(Date.now(), person.id)
      .run()
    expect((await person.post("/second-factor", {})).status).toBe(200)
  })

  it("is asked for after the password, and until then nothing can be called", async () => {
    const { person, secret } = await personWithApp()
    const waiting = await enterPassword(person)
    expect(waiting).not.toContain("session_token=ey")
    expect((await session(waiting)).status).toBe(401)
    const emails = await request("GET", "/dashboard/api/emails", undefined, withCookie(waiting))
    expect(emails.status).toBe(401)
    const own = await request("GET", "/dashboard/auth/get-session", undefined, withCookie(waiting))
    expect(own.body).toBe(null)

    expect((await enterCode(waiting, "000000")).status).toBe(400)
    const reply = await enterCode(waiting, totp(secret, 1))
    expect(reply).toMatchObject({ status: 200, body: { user: { email: person.email } } })
    expect((await session(cookieOf(reply))).body).toMatchObject({ secondFactor: true })
    expect((await enterCode(waiting, "000001")).status).toBe(403)
  })

  it("takes each code once", async () => {
    const { person, secret } = await personWithApp()
    const code = totp(secret, 1)
    expect((await enterCode(await enterPassword(person), code)).status).toBe(200)
    const again = await enterCode(await enterPassword(person), code)
    expect(again).toMatchObject({ status: 400, body: { error: { code: "validation_error" } } })
    expect(again.body.error.message).toContain("already used")
  })

  it("needs the password again after five wrong codes", async () => {
    const { person, secret, codes } = await personWithApp()
    const waiting = await enterPassword(person)
    for (let i = 0; i < 5; i++) expect((await enterCode(waiting, `00000${i}`)).status).toBe(400)
    expect((await enterCode(waiting, totp(secret, 1))).status).toBe(403)
    const reply = await enterCode(await enterPassword(person), codes[0] ?? "")
    expect(await isSignedIn(reply)).toBe(true)
  })

  it("takes no code for 15 minutes after ten wrong ones", async () => {
    const { person, secret } = await personWithApp()
    for (let round = 0; round < 2; round++) {
      const waiting = await enterPassword(person)
      for (let i = 0; i < 5; i++) await enterCode(waiting, `0000${round}${i}`)
    }
    const refused = await enterCode(await enterPassword(person), totp(secret, 1))
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } })
  })

  it("is not replaced by another session in the same browser", async () => {
    const { person, cookie } = await personWithApp()
    const waiting = await enterPassword(person)
    for (let i = 0; i < 5; i++) await enterCode(`${cookie}; ${waiting}`, `11111${i}`)
    expect((await enterCode(`${cookie}; ${waiting}`, "222222")).status).toBe(403)
  })

  it("stays when a link sets a new password", async () => {
    const { person, secret } = await personWithApp()
    await resetPassword(person)
    expect(await isSignedIn(await enterCode(await enterPassword(person), totp(secret, 1)))).toBe(
      true,
    )
  })

  it("goes with a new password if the address was never verified", async () => {
    const { person } = await personWithApp()
    await directory
      .prepare("update users set email_verified = 0 where id = ?")
      .bind(person.id)
      .run()
    await resetPassword(person)
    expect((await signIn(person.email)).body).toMatchObject({ user: { id: person.id } })
  })

  it("is removed with the password, soon after a sign-in", async () => {
    const { person, cookie } = await personWithApp()
    const remove = (password: string) =>
      request("POST", "/dashboard/api/second-factor/remove", { password }, withCookie(cookie))
    await makeStale(person)
    expect((await remove(PASSWORD)).body.error.message).toContain("ten minutes")
    await directory
      .prepare("update sessions set created_at = ? where user_id = ?")
      .bind(Date.now(), person.id)
      .run()
    expect((await remove("wrong")).status).toBe(400)
    const removed = await remove(PASSWORD)
    expect(removed.status).toBe(204)
    expect((await session(cookieOf(removed))).body).toMatchObject({ secondFactor: false })
    expect((await signIn(person.email)).body).toMatchObject({ user: { id: person.id } })
    const { results } = await directory
      .prepare("select * from second_factors where user_id = ?")
      .bind(person.id)
      .all()
    expect(results).toEqual([])
  })

  it.each(["before it was set up", "after it was set up", "before a code was verified"])(
    "leaves a session its passkey that was used %s",
    async (time) => {
      const person = await makePerson((await makeTeam()).id, "owner")
      const noteProof = () =>
        directory
          .prepare("update sessions set second_factor = 'passkey' where user_id = ?")
          .bind(person.id)
          .run()
      if (time === "before it was set up") await noteProof()
      const { cookie, secret } = await setUp(person)
      if (time !== "before it was set up") await noteProof()
      const call = (path: string, body: object) =>
        request("POST", `/dashboard/api/second-factor/${path}`, body, withCookie(cookie))
      if (time === "before a code was verified") {
        expect((await call("verify", { code: totp(secret, 1) })).status).toBe(204)
      }
      const removed = await call("remove", { password: PASSWORD })
      expect(removed.status).toBe(204)
      expect((await session(cookieOf(removed))).body).toMatchObject({ secondFactor: true })
    },
  )

  it("is stored encrypted", async () => {
    const { person, secret, codes } = await personWithApp()
    const row = await directory
      .prepare("select * from second_factors where user_id = ?")
      .bind(person.id)
      .first()
    const stored = JSON.stringify(row)
    for (const text of [secret, ...codes]) expect(stored).not.toContain(text)
    expect(row).toMatchObject({ secret: expect.stringMatching(/^\$ba\$\d+\$[0-9a-f]+$/) })
  })
})

describe("a recovery code", () => {
  it("replaces the app's code once", async () => {
    const { person, codes, cookie } = await personWithApp()
    const [code = ""] = codes
    const reply = await enterCode(await enterPassword(person), code)
    expect((await session(cookieOf(reply))).body).toMatchObject({ secondFactor: true })
    expect((await enterCode(await enterPassword(person), code)).status).toBe(400)
    const left = await request("GET", "/dashboard/api/second-factor", undefined, withCookie(cookie))
    expect(left.body).toEqual({ enabled: true, recoveryCodesLeft: 9 })
  })

  it("stops working when new ones replace it", async () => {
    const { person, codes, cookie } = await personWithApp()
    const renewed = await request(
      "POST",
      "/dashboard/api/second-factor/recovery-codes",
      { password: PASSWORD },
      withCookie(cookie),
    )
    expect(renewed.status).toBe(200)
    expect(renewed.body.recoveryCodes).toHaveLength(10)
    expect((await enterCode(await enterPassword(person), codes[0] ?? "")).status).toBe(400)
    const reply = await enterCode(await enterPassword(person), renewed.body.recoveryCodes[9])
    expect(await isSignedIn(reply)).toBe(true)
  })
})

describe("a team that requires a second factor", () => {
  const forbidden = {
    status: 403,
    body: { error: { code: "forbidden", details: { reason: "second_factor_required" } } },
  }

  async function strictTeam() {
    const team = await makeTeam()
    const owner = await makePerson(team.id, "owner")
    const { cookie } = await setUp(owner)
    const set = (json: object, who = cookie) =>
      request("PATCH", "/dashboard/api/team", json, withCookie(who))
    expect(await set({ requireSecondFactor: true })).toMatchObject({
      status: 200,
      body: { requireSecondFactor: true },
    })
    return { team, owner, cookie, set }
  }

  it("refuses a session without one everywhere but in the person's own account", async () => {
    const { team } = await strictTeam()
    const member = await makePerson(team.id, "admin")
    for (const path of ["/emails", "/team", "/members", "/stream", "/audit-log"]) {
      expect([path, await member.get(path)]).toMatchObject([path, forbidden])
    }
    const email = {
      from: `a@${team.domain}`,
      to: "somebody@example.com",
      subject: "Hello",
      text: "Hello",
    }
    expect(await member.post("/emails", email)).toMatchObject(forbidden)
    const stored = await env.DB.prepare("select count(*) as n from emails where team_id = ?")
      .bind(team.id)
      .first("n")
    expect(stored).toBe(0)
    expect(await member.patch("/team", { name: "Mine" })).toMatchObject(forbidden)
    expect((await member.get("/session")).body).toMatchObject({
      secondFactor: false,
      secondFactorMissing: true,
    })
    for (const path of ["/profile", "/passkeys", "/sessions", "/second-factor"]) {
      expect((await member.get(path)).status).toBe(200)
    }
  })

  it("lets in a member who sets one up", async () => {
    const { team } = await strictTeam()
    const member = await makePerson(team.id, "member")
    const { cookie } = await setUp(member)
    const emails = await request("GET", "/dashboard/api/emails", undefined, withCookie(cookie))
    expect(emails.status).toBe(200)
    expect((await session(cookie)).body).toMatchObject({ secondFactorMissing: false })
  })

  it("lets in a session that proves it later", async () => {
    const { team } = await strictTeam()
    const member = await makePerson(team.id, "member")
    const { secret } = await setUp(member)
    const cookie = await createSession(member.email)
    const call = (method: string, path: string, body?: unknown) =>
      request(method, `/dashboard/api${path}`, body, withCookie(cookie))
    expect(await call("GET", "/emails")).toMatchObject(forbidden)
    expect((await call("POST", "/second-factor/verify", { code: "000000" })).status).toBe(400)
    const code = totp(secret, 1)
    expect((await call("POST", "/second-factor/verify", { code })).status).toBe(204)
    expect((await call("GET", "/emails")).status).toBe(200)
    const other = await createSession(member.email)
    const again = await request(
      "POST",
      "/dashboard/api/second-factor/verify",
      { code },
      withCookie(other),
    )
    expect(again.status).toBe(400)
  })

  it("shuts out a member who removes it", async () => {
    const { team } = await strictTeam()
    const member = await makePerson(team.id, "member")
    const { cookie } = await setUp(member)
    const removed = await request(
      "POST",
      "/dashboard/api/second-factor/remove",
      { password: PASSWORD },
      withCookie(cookie),
    )
    const emails = await request(
      "GET",
      "/dashboard/api/emails",
      undefined,
      withCookie(cookieOf(removed)),
    )
    expect(emails).toMatchObject(forbidden)
  })

  it("has an owner whose own session has one, and admins do not change the rule", async () => {
    const { team, set } = await strictTeam()
    const admin = await makePerson(team.id, "admin")
    const { cookie } = await setUp(admin)
    expect((await set({ requireSecondFactor: false }, cookie)).status).toBe(403)
    const free = await makePerson((await makeTeam()).id, "owner")
    const refused = await free.patch("/team", { requireSecondFactor: true })
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "conflict" } } })
  })

  it("leaves the person's other teams and API keys alone", async () => {
    const { team } = await strictTeam()
    const other = await makeTeam()
    const member = await makePerson(team.id, "member")
    await directory
      .prepare("insert into members values (?, ?, 'member', 1)")
      .bind(member.id, other.id)
      .run()
    expect((await member.get("/emails", undefined, { "x-team-id": other.id })).status).toBe(200)
    expect(await member.get("/emails", undefined, { "x-team-id": team.id })).toMatchObject(
      forbidden,
    )
    expect((await team.api.get("/emails")).status).toBe(200)
  })

  it("ends the streams of sessions without one", async () => {
    const { team, cookie, set } = await strictTeam()
    const member = await makePerson(team.id, "member")
    const token = await directory
      .prepare("select token from sessions where user_id = ?")
      .bind(member.id)
      .first<string>("token")
    const live = () => readValidSessions(testWork().work.directory, team.id, [token ?? ""])
    expect((await live()).size).toBe(0)
    await set({ requireSecondFactor: false }, cookie)
    expect((await live()).size).toBe(1)
  })
})

describe("a rotation of ENCRYPTION_KEYS", () => {
  it("encrypts apps and recovery codes with the first key", async () => {
    const { person, secret, codes } = await personWithApp()
    const work = directoryWork()
    const { ENCRYPTION_KEYS } = work.settings
    const fresh = `fresh:${Buffer.alloc(32, 7).toString("base64")}`
    const rotated = (keys: string) => directoryWork({ settings: { ENCRYPTION_KEYS: keys } })
    await directory.prepare(askFactorRotation(Date.now())).run()
    await resealSecondFactors(rotated(`${fresh},${ENCRYPTION_KEYS}`))
    const row = await directory
      .prepare("select * from second_factors where user_id = ?")
      .bind(person.id)
      .first<{ secret: string; backup_codes: string }>()
    const key = libraryKeys({ ENCRYPTION_KEYS: fresh })
    expect(await symmetricDecrypt({ key, data: row?.secret ?? "" })).toBe(fromBase32(secret))
    expect(JSON.parse(await symmetricDecrypt({ key, data: row?.backup_codes ?? "" }))).toEqual(
      codes,
    )
    expect(await directory.prepare("select * from factor_rotations").first()).toBe(null)

    await directory.prepare(askFactorRotation(Date.now())).run()
    await resealSecondFactors(rotated(`${ENCRYPTION_KEYS},${fresh}`))
    expect(await isSignedIn(await enterCode(await enterPassword(person), totp(secret, 1)))).toBe(
      true,
    )
  })
})

async function resetPassword(person: Person) {
  const token = crypto.randomUUID()
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))
  await directory
    .prepare("insert into password_resets values (?, ?, ?)")
    .bind(Buffer.from(hash).toString("hex"), person.id, Date.now() + 60_000)
    .run()
  const reply = await request("POST", "/dashboard/auth/password-reset/complete", {
    token,
    password: PASSWORD,
  })
  expect(reply.status).toBe(204)
}
