import { beforeAll, describe, expect, it } from "vitest"
import { dashboardEndpoints, visitorEndpoints } from "../../../../src/worker/contract.ts"
import { request } from "../../../support/api.ts"
import { makeAuthenticator, ORIGIN } from "../../../support/authenticator.ts"
import { directory } from "../../../support/installation.ts"
import { cookieOf, createSession, makePerson, PASSWORD } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"
import { totp } from "../../../support/totp.ts"

beforeAll(() => Promise.all([import("better-auth/minimal"), import("@better-auth/passkey")]))

const FACTORS = ["passkey", "app"] as const
type Factor = (typeof FACTORS)[number]

/** Calls of one's own account that change no way to sign in, and why. */
const OTHERS: Record<string, string> = {
  "profile.update": "a name signs nobody in",
  "passkeys.update": "a name signs nobody in",
  "sessions.end": "a session less is no way in",
  "sessions.endAll": "a session less is no way in",
  "secondFactor.verify": "it proves the factor with a code",
}

/** What each change of a way to sign in answers in a session without proof of the person's factor. */
const CHANGES: Record<string, Record<Factor, number>> = {
  "passkeys.options": { passkey: 403, app: 403 },
  "passkeys.create": { passkey: 403, app: 403 },
  "passkeys.remove": { passkey: 403, app: 403 },
  "secondFactor.start": { passkey: 403, app: 409 },
  "secondFactor.confirm": { passkey: 403, app: 409 },
  "secondFactor.renewRecoveryCodes": { passkey: 403, app: 403 },
  "secondFactor.remove": { passkey: 403, app: 403 },
  "profile.changePassword": { passkey: 403, app: 403 },
}

/** How each call of a visitor leaves the second factor. */
const WAYS_IN: Record<string, string> = {
  "signIn.email": "proves none; with an app there is no session before the code",
  "signIn.secondFactor": "proves a code",
  "signIn.passkey": "proves a passkey",
  "signIn.passkeyOptions": "makes no session",
  "signIn.social": "proves none",
  "signIn.methods": "makes no session",
  claim: "makes the first person, who has none",
  "invitations.read": "makes no session",
  "invitations.accept": "makes a person, who has none, or joins a person to a team",
  "passwordReset.request": "makes no session",
  "passwordReset.complete": "makes no session; passkeys go, an app stays",
}

type Call = (path: string, body?: unknown, cookie?: string) => ReturnType<typeof request>
const callsOf = (cookie: string) => {
  const as =
    (method: string): Call =>
    (path, body, more = "") =>
      request(method, `/dashboard/api${path}`, body, { cookie: `${cookie}; ${more}` })
  return { post: as("POST"), delete: as("DELETE"), get: as("GET"), patch: as("PATCH") }
}
type Calls = ReturnType<typeof callsOf>

async function startPasskey({ post }: Calls) {
  const started = await post("/passkeys/options")
  expect(started.status).toBe(200)
  const response = makeAuthenticator({ origin: ORIGIN }).create(started.body)
  return () => post("/passkeys", { name: "Key", response }, cookieOf(started))
}

async function startApp({ post }: Calls): Promise<string> {
  const started = await post("/second-factor", { password: PASSWORD })
  expect(started.status).toBe(200)
  return started.body.secret
}

/** A person with a factor, and a session that knew the password before the factor was there. */
async function personWith(factor: Factor) {
  const person = await makePerson((await makeTeam()).id, "owner")
  const thief = callsOf(await createSession(person.email))
  const addPasskey = await startPasskey(thief)
  const stolenSecret = await startApp(thief)
  let own = callsOf(person.cookie)
  let passkey = "unknown"
  if (factor === "passkey") {
    passkey = (await (await startPasskey(own))()).body.id
  } else {
    const code = totp(await startApp(own))
    own = callsOf(cookieOf(await own.post("/second-factor/confirm", { code })))
  }
  const password = { password: PASSWORD }
  const changes = {
    "passkeys.options": () => thief.post("/passkeys/options"),
    "passkeys.create": addPasskey,
    "passkeys.remove": () => thief.delete(`/passkeys/${passkey}`),
    "secondFactor.start": () => thief.post("/second-factor", password),
    "secondFactor.confirm": () =>
      thief.post("/second-factor/confirm", { code: totp(stolenSecret) }),
    "secondFactor.renewRecoveryCodes": () => thief.post("/second-factor/recovery-codes", password),
    "secondFactor.remove": () => thief.post("/second-factor/remove", password),
    "profile.changePassword": () =>
      thief.post("/profile/password", {
        currentPassword: PASSWORD,
        newPassword: "a better password",
      }),
  }
  return { person, own, thief, changes: changes as Record<string, () => ReturnType<Call>> }
}

const rowsOf = async (id: string) => {
  const tables = ["passkeys", "second_factors", "accounts", "sessions"]
  const read = tables.map((table) =>
    directory.prepare(`select * from ${table} where user_id = ?`).bind(id),
  )
  return (await directory.batch(read)).map(({ results }) => results)
}

describe("a session that has not proven the person's second factor", () => {
  it("has an answer for each change of one's own account, and each way in", () => {
    const own = dashboardEndpoints.filter(({ isOwn, method }) => isOwn && method !== "GET")
    const answered = Object.keys({ ...OTHERS, ...CHANGES })
    expect(own.map(({ name }) => name).sort()).toEqual(answered.sort())
    const ways = visitorEndpoints.map(({ name }) => name)
    expect(ways.sort()).toEqual(Object.keys(WAYS_IN).sort())
  })

  it.each(FACTORS)("changes no way to sign in beside the %s", async (factor) => {
    const { person, thief, changes } = await personWith(factor)
    const before = await rowsOf(person.id)
    for (const [name, statuses] of Object.entries(CHANGES)) {
      const reply = await changes[name]!()
      expect([name, reply.status]).toEqual([name, statuses[factor]])
      if (reply.status === 403) {
        expect(reply.body.error.details).toEqual({ reason: "second_factor_required" })
      }
    }
    expect(await rowsOf(person.id)).toEqual(before)
    expect((await thief.get("/session")).body.secondFactor).toBe(false)
  })

  it.each(FACTORS)("stands beside one that has proven the %s, which may", async (factor) => {
    const { own } = await personWith(factor)
    const added = await (await startPasskey(own))()
    expect(added.status).toBe(201)
    expect((await own.delete(`/passkeys/${added.body.id}`)).status).toBe(204)
    const passwords = { currentPassword: PASSWORD, newPassword: "a better password" }
    expect((await own.post("/profile/password", passwords)).status).toBe(204)
    expect((await own.get("/session")).body.secondFactor).toBe(true)
  })

  it("gets no proof from a passkey that was added at the same time as another", async () => {
    const person = await makePerson((await makeTeam()).id, "owner")
    const sessions = [callsOf(person.cookie), callsOf(await createSession(person.email))]
    const adds = await Promise.all(sessions.map(startPasskey))
    await Promise.all(adds.map((add) => add()))
    const proven = await Promise.all(
      sessions.map(async ({ get }) => (await get("/session")).body.secondFactor),
    )
    expect(proven.filter(Boolean).length).toBeLessThanOrEqual(1)
  })
})
