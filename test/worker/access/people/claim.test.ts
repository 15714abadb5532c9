import { createExecutionContext } from "cloudflare:test"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { DAY_MS } from "../../../../src/lib/time.ts"
import { newClaimCode } from "../../../../src/worker/access/people/claiming/claim-code.ts"
import { ownClaimCodes } from "../../../../src/worker/access/people/claiming/own-claim-code.ts"
import worker from "../../../../src/worker/index.ts"
import { bind } from "../../../../src/worker/platform/db/statement.ts"
import { readSettings } from "../../../../src/worker/platform/env.ts"
import { request } from "../../../support/api.ts"
import { directory, workerEnv } from "../../../support/installation.ts"
import { addPerson, cookieOf, PASSWORD, signIn } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"

const EMPTIED = [
  "users",
  "accounts",
  "members",
  "sessions",
  "claim_codes",
  "sign_in_attempts",
  "installation",
]

async function printCode(now = Date.now()): Promise<string> {
  const { code, statement } = newClaimCode(now)
  await bind(directory, statement).run()
  return code
}

const FIRST = { teamName: "First", name: "Ada", email: "Ada@First.test", password: PASSWORD }

const claim = (code: string, headers: Record<string, string> = {}) =>
  request("POST", "/dashboard/auth/claim", { ...FIRST, code }, headers)
const methods = async () => (await request("GET", "/dashboard/auth/methods")).body
const countOf = (table: string) =>
  directory.prepare(`select count(*) as n from ${table}`).first<number>("n")

/** What the Worker logs when somebody opens the page. */
async function loggedCode(): Promise<string | undefined> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
  await methods()
  const lines = warn.mock.calls.map(([line]) => JSON.parse(String(line)))
  warn.mockRestore()
  return lines.find(({ claimCode }) => claimCode)?.claimCode
}

beforeEach(() => directory.batch(EMPTIED.map((table) => directory.prepare(`delete from ${table}`))))

describe("the first claim", () => {
  it("makes the owner and the team, signs in, and ends the code", async () => {
    const code = await printCode()
    expect(await methods()).toEqual({
      password: true,
      passkey: true,
      google: false,
      github: false,
      oidc: [],
      claimable: true,
      jurisdictions: [null],
    })
    const reply = await claim(code)
    expect(reply).toMatchObject({
      status: 201,
      body: { user: { email: "ada@first.test", name: "Ada" }, team: { name: "First" } },
    })
    const cookie = cookieOf(reply)
    const session = await request("GET", "/dashboard/api/session", undefined, { cookie })
    expect(session.body).toMatchObject({ role: "owner", team: reply.body.team })
    const key = await request("POST", "/dashboard/api/api-keys", { name: "First" }, { cookie })
    expect(key.status).toBe(201)
    const log = await request("GET", "/dashboard/api/audit-log", undefined, { cookie })
    expect(log.body.data.map(({ action }: { action: string }) => action)).toEqual([
      "apiKeys.create",
      "sessions.signIn",
      "claim",
    ])
    expect((await methods()).claimable).toBe(false)
    expect((await claim(code)).status).toBe(409)
    expect(await countOf("claim_codes")).toBe(0)
    expect((await signIn("ada@first.test")).status).toBe(200)
  })

  it("succeeds once for two calls at the same time", async () => {
    const code = await printCode()
    const statuses = (await Promise.all([claim(code), claim(code)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 409])
    expect(await countOf("users")).toBe(1)
  })

  it("refuses a wrong, a replaced, an old and no code, and stores nothing", async () => {
    expect((await claim("x")).status).toBe(403)
    const replaced = await printCode()
    const old = await printCode(Date.now() - 25 * 3_600_000)
    for (const code of ["wrong", replaced, old]) expect((await claim(code)).status).toBe(403)
    expect(await countOf("users")).toBe(0)
  })

  it("is impossible once a person exists, even with a valid code", async () => {
    const code = await printCode()
    await addPerson((await makeTeam()).id, "owner")
    expect((await claim(code)).status).toBe(409)
    await directory.prepare("delete from claim_codes").run()
    await printCode()
    expect(await countOf("claim_codes")).toBe(0)
  })

  it("limits guesses by IP address", async () => {
    const from = { "cf-connecting-ip": "203.0.113.77" }
    for (let i = 0; i < 10; i++) expect((await claim(`guess ${i}`, from)).status).toBe(403)
    const code = await printCode()
    expect((await claim(code, from)).status).toBe(429)
    expect((await claim(code, { "cf-connecting-ip": "203.0.113.78" })).status).toBe(201)
  })
})

describe("an installation that nobody printed a code for", () => {
  it("logs a code when somebody opens the page, until it is claimed", async () => {
    const code = (await loggedCode()) ?? ""
    expect(code).toHaveLength(24)
    expect((await claim(`${code}x`)).status).toBe(403)
    expect((await claim(code)).status).toBe(201)
    expect(await loggedCode()).toBeUndefined()
    expect((await claim(code)).status).toBe(409)
  })

  it("takes the code of yesterday, and none before", async () => {
    const settings = readSettings(workerEnv())
    const [, yesterday = ""] = ownClaimCodes(settings, Date.now())
    const [old = ""] = ownClaimCodes(settings, Date.now() - 3 * DAY_MS)
    expect((await claim(old)).status).toBe(403)
    expect((await claim(yesterday)).status).toBe(201)
  })

  it("takes the secret that its owner has set instead, and logs none", async () => {
    const [logged = ""] = ownClaimCodes(readSettings(workerEnv()), Date.now())
    const CLAIM_CODE = "the owner's own code"
    const env = workerEnv({ CLAIM_CODE })
    expect(ownClaimCodes(readSettings(env), Date.now())).toEqual([CLAIM_CODE])
    const as = (code: string) =>
      worker.fetch(
        new Request("http://edgepost.test/dashboard/auth/claim", {
          method: "POST",
          body: JSON.stringify({ ...FIRST, code }),
        }),
        env,
        createExecutionContext(),
      )
    expect((await as(logged)).status).toBe(403)
    expect((await as(CLAIM_CODE)).status).toBe(201)
  })

  it("keeps the URL of the claim", async () => {
    await claim((await loggedCode()) ?? "")
    const stored = directory.prepare("select value from installation where name = 'BASE_URL'")
    expect(await stored.first("value")).toBe(readSettings(workerEnv()).BASE_URL)
  })
})
