import { createExecutionContext } from "cloudflare:test"
import type { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { createApp } from "../../../src/worker/app.ts"
import { workerEnv } from "../../support/installation.ts"
import { createSession, makePerson } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

/** A limiter that refuses the keys that the test names. */
function makeLimiter(refused: (key: string) => boolean) {
  const counted: string[] = []
  const limiter: RateLimit = {
    async limit({ key }) {
      counted.push(key)
      return { success: !refused(key) }
    },
  }
  return { limiter, counted }
}

const ask = (cookie: string, limits: Partial<typeof env>, headers: Record<string, string> = {}) =>
  createApp().request(
    "/dashboard/api/session",
    { headers: { cookie, ...headers } },
    workerEnv(limits),
    createExecutionContext(),
  )

it("calls with a session are limited by session", async () => {
  const person = await makePerson((await makeTeam()).id, "member")
  const { limiter } = makeLimiter((key) => key.startsWith("session "))
  const reply = await ask(person.cookie, { API_RATE_LIMIT: limiter })
  expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, "10"])
})

it("calls with a session are limited by person, whichever the session", async () => {
  const person = await makePerson((await makeTeam()).id, "member")
  const { limiter } = makeLimiter((key) => key === `person ${person.id}`)
  for (const cookie of [person.cookie, await createSession(person.email)]) {
    expect((await ask(cookie, { API_RATE_LIMIT: limiter })).status).toBe(200)
    expect((await ask(cookie, { API_RATE_LIMIT: limiter })).status).toBe(429)
  }
})

it("calls with a session are limited by team", async () => {
  const team = await makeTeam()
  const person = await makePerson(team.id, "member")
  const { limiter, counted } = makeLimiter((key) => key === team.id)
  expect((await ask(person.cookie, { TEAM_RATE_LIMIT: limiter })).status).toBe(200)
  expect((await ask(person.cookie, { TEAM_RATE_LIMIT: limiter })).status).toBe(429)
  expect(counted).toEqual([team.id])
})

it("calls with a cookie of no session are limited by IP address", async () => {
  const { limiter, counted } = makeLimiter((key) => key.startsWith("address "))
  const headers = { "cf-connecting-ip": "192.0.2.7" }
  expect((await ask("none=1", { API_RATE_LIMIT: limiter }, headers)).status).toBe(429)
  expect(counted).toEqual(["address 192.0.2.7"])
})
