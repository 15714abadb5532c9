import { env } from "cloudflare:workers"
import { afterAll, beforeAll, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import type { Endpoint } from "../../../src/worker/platform/http/endpoint.ts"
import { request } from "../../support/api.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { makePerson, sessionOf } from "../../support/session.ts"
import { addKey, makeTeam, type Team } from "../../support/team.ts"
import {
  CALLS,
  isOnlyInDashboard,
  KEYS,
  type Outcome,
  outcomeOfKey,
  outcomeOfPerson,
  PEOPLE,
} from "./matrix.ts"

type Headers = Record<string, string>

let internet: Internet
let team: Team
let keys: Record<(typeof KEYS)[number], Headers>

beforeAll(async () => {
  internet = fakeInternet()
  team = await makeTeam()
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const revoked = await addKey(team.id)
  const last = "select id from api_keys where team_id = ?1 order by id desc limit 1"
  await env.DB.prepare(`update api_keys set revoked_at = 1 where team_id = ?1 and id = (${last})`)
    .bind(team.id)
    .run()
  keys = {
    "no key": {},
    revoked: bearer(revoked),
    "sending-only": bearer(team.sendingOnly.key),
    "full, of one domain": bearer(await addKey(team.id, "full", team.domainId)),
    full: bearer(team.api.key),
  }
})
afterAll(() => internet.restore())

const withIds = (path: string) =>
  path.replace(/:([A-Za-z]+)/g, (_match, name) => (name === "email" ? "a@b.co" : newId("email")))

async function outcomeOf(one: Endpoint, prefix: string, headers: Headers): Promise<Outcome> {
  const body = one.json ? (one.perItem ? [] : {}) : undefined
  const { status } = await request(one.method, `${prefix}${withIds(one.path)}`, body, headers)
  if (status === 401 || status === 403) return `${status}`
  const isMissing = status === 404 && !one.path.includes(":")
  return isMissing || status === 405 ? "no such call" : "let in"
}

it.each(KEYS)("a key that is %s may do what the contract says, and no more", async (key) => {
  const wrong: string[] = []
  for (const one of CALLS.filter((call) => !isOnlyInDashboard(call))) {
    const outcome = await outcomeOf(one, "/api/v1", keys[key])
    const expected = outcomeOfKey(key, one)
    if (outcome !== expected) wrong.push(`${one.method} ${one.path}: ${outcome}, not ${expected}`)
  }
  expect(wrong).toEqual([])
})

it("a full key reaches no call that only the dashboard has", async () => {
  for (const one of CALLS.filter(isOnlyInDashboard)) {
    const path = `/api/v1${withIds(one.path)}`
    const { status } = await request(one.method, path, undefined, keys.full)
    expect([one.name, status === 404 || status === 405]).toEqual([one.name, true])
  }
})

/** These calls end the session or the place in the team of their caller. */
const LAST = ["teams.leave", "sessions.endAll"]

async function headersOf(person: (typeof PEOPLE)[number]): Promise<Headers> {
  if (person === "nobody") return {}
  if (person === "of another team") {
    const { id } = await makeTeam()
    return { cookie: await sessionOf(id, "owner"), "x-team-id": team.id }
  }
  return { cookie: (await makePerson(team.id, person)).cookie }
}

it.each(PEOPLE)(
  "in the dashboard, %s may do what the contract says, and no more",
  async (person) => {
    const wrong: string[] = []
    const headers = await headersOf(person)
    for (const one of CALLS) {
      const own = LAST.includes(one.name) ? await headersOf(person) : headers
      const outcome = await outcomeOf(one, "/dashboard/api", own)
      const expected = outcomeOfPerson(person, one)
      if (outcome !== expected) wrong.push(`${one.method} ${one.path}: ${outcome}, not ${expected}`)
    }
    expect(wrong).toEqual([])
  },
  60_000,
)
