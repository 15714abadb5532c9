import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as z from "zod"
import { dashboardEndpoints, endpoints } from "../../src/contract.ts"
import { exampleOf } from "../../src/docs/example.ts"
import { readReference } from "../../src/docs/reference.ts"
import type { Schema } from "../../src/docs/words.ts"
import type { Endpoint } from "../../src/http/endpoint.ts"
import { examples } from "../http/examples.ts"
import { request } from "../support/api.ts"
import { fakeInternet, type Internet } from "../support/internet.ts"
import { sessionOf } from "../support/session.ts"
import { makeTeam, type Team } from "../support/team.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})
afterAll(() => internet.restore())

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const all = [...endpoints, ...dashboardEndpoints]
const named = (list: readonly Endpoint[]) => list.map((one) => [nameOf(one), one] as const)

/** The body that the page shows, with the team's own domain and ids where it has example ones. */
function shownBody({ example }: Endpoint, team: Team, own: unknown) {
  const text = JSON.stringify(example?.()).replaceAll("demo.test", team.domain)
  const ids = (own ?? {}) as Record<string, unknown>
  return JSON.parse(text, (name, value) =>
    name === "bookId" || name === "domainId" ? ids[name] : value,
  )
}

describe("the body that the reference shows", () => {
  it.each(named(endpoints.filter(({ example }) => example)))(
    "of %s is accepted",
    async (name, one) => {
      const team = await makeTeam()
      const { path, body } = await examples[name]!(team)
      const reply = await request(one.method, `/api/v1${path}`, shownBody(one, team, body), {
        authorization: `Bearer ${team.api.key}`,
      })
      expect([reply.status, reply.body]).toEqual([one.status, expect.anything()])
      expectSameMembers(replyOf(one), reply.body)
    },
  )

  it.each(named(dashboardEndpoints.filter(({ example }) => example)))(
    "of %s is accepted on the dashboard",
    async (_name, one) => {
      const team = await makeTeam()
      const cookie = await sessionOf(team.id, "owner")
      const ask = (method: string, path: string, body: unknown) =>
        request(method, `/dashboard/api${path}`, body, { cookie })
      const layout = { name: "Header", blocks: [{ kind: "divider" }] }
      const path = one.path.includes(":")
        ? `/layouts/${(await ask("POST", "/layouts", layout)).body.id}`
        : one.path
      const reply = await ask(one.method, path, shownBody(one, team, null))
      expect([reply.status, reply.body]).toEqual([one.status, expect.anything()])
      expectSameMembers(replyOf(one), reply.body)
    },
  )

  it("is there wherever a call cannot do without one", () => {
    const without = all.filter(
      ({ json, bodyOptional, example }) => json && !bodyOptional && !example,
    )
    expect(without.map(nameOf)).toEqual([])
  })
})

describe("the reply that the reference shows", () => {
  it.each(named(all.filter(({ response }) => response)))("of %s parses", (_name, one) => {
    const schema = one.response as z.ZodType<unknown, unknown>
    const shown = replyOf(one)
    expect(z.encode(schema, z.decode(schema, shown))).toEqual(shown)
  })
})

const reference = readReference([{ endpoints: all, baseUrl: "https://example.com" }])
const calls = reference.chapters.flatMap((chapter) => chapter.calls)

function replyOf(endpoint: Endpoint): unknown {
  const { operation } = calls.find((one) => one.endpoint === endpoint)!
  const { status, alsoStatus = status } = endpoint
  const { content } = operation.responses[status === 204 ? alsoStatus : status]!
  return exampleOf(content?.["application/json"]?.schema as Schema, reference.schemas)
}

/** Members and kinds of values; what is null or empty on one side says nothing. */
function expectSameMembers(shown: unknown, real: unknown, path = "reply"): void {
  if (shown === null || real === null) return
  expect([path, typeof shown]).toEqual([path, typeof real])
  if (typeof shown !== "object" || typeof real !== "object") return
  if (Array.isArray(shown) && Array.isArray(real)) {
    if (shown.length > 0 && real.length > 0) expectSameMembers(shown[0], real[0], `${path}[0]`)
    return
  }
  if (/(tags|properties|mergeDefaults)$/.test(path) || path.includes("blocks")) return
  expect([path, Object.keys(shown).sort()]).toEqual([path, Object.keys(real).sort()])
  for (const [name, value] of Object.entries(shown)) {
    expectSameMembers(value, (real as Record<string, unknown>)[name], `${path}.${name}`)
  }
}
