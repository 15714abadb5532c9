import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as z from "zod"
import { exampleReply } from "../../src/reference/calls.ts"
import { readReference } from "../../src/reference/reference.ts"
import { dashboardEndpoints, endpoints } from "../../src/worker/contract.ts"
import type { Endpoint } from "../../src/worker/platform/http/endpoint.ts"
import { request } from "../support/api.ts"
import { fakeInternet, type Internet } from "../support/internet.ts"
import { sessionOf } from "../support/session.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { examples } from "../worker/platform/http/examples.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})
afterAll(() => internet.restore())

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const all = [...endpoints, ...dashboardEndpoints]
const named = (list: readonly Endpoint[]) => list.map((one) => [nameOf(one), one] as const)

/** The body that the page shows, with the team's own domain and ids where it has example ones. */
function shownBody({ example, fileType }: Endpoint, team: Team, own: unknown) {
  if (fileType) return own
  if (!example) return undefined
  const text = JSON.stringify(example()).replaceAll("demo.test", team.domain)
  const ids = (own ?? {}) as Record<string, unknown>
  return JSON.parse(text, (name, value) =>
    ["bookId", "domainId", "receivedId"].includes(name) ? ids[name] : value,
  )
}

describe("the call that the reference shows", () => {
  it.each(named(endpoints.filter(({ access }) => access !== "public")))(
    "%s is accepted and answers what is shown",
    async (name, one) => {
      const team = await makeTeam()
      const { path, body } = await examples[name]!(team)
      const reply = await request(one.method, `/api/v1${path}`, shownBody(one, team, body), {
        authorization: `Bearer ${team.api.key}`,
      })
      expect([reply.status, reply.body]).toEqual([one.status, expect.anything()])
      if (one.status !== 204 && one.response) expectSameMembers(replyOf(one), reply.body)
      expectChanges(one, reply.body)
    },
  )

  // Those of people need another person, a passkey or the team's own name, and a publication needs
  // the revision of a draft: the tests of these call them.
  const isOfPeople = ({ tag, path }: Endpoint) =>
    tag === "Profile" || /^.(members|team.delete)|publish$/.test(path)

  it.each(named(dashboardEndpoints.filter((one) => one.example && !isOfPeople(one))))(
    "%s is accepted on the dashboard",
    async (_name, one) => {
      const team = await makeTeam()
      const cookie = await sessionOf(team.id, "owner")
      const ask = (method: string, path: string, body: unknown) =>
        request(method, `/dashboard/api${path}`, body, { cookie })
      const objects: Record<string, object> = {
        "/templates": { slug: "welcome", name: "Hi", subject: "Hi", bodyHtml: "Hi" },
        "/layouts": { name: "Header", blocks: [{ kind: "divider" }] },
        "/views": { name: "Late", query: { status: "failed", since: "1d" } },
        "/webhooks": { url: "https://example.com/hooks", events: ["email.sent"] },
      }
      const [collection = ""] = one.path.split("/:")
      const path = one.path.includes(":")
        ? one.path.replace(
            /:[A-Za-z]+/,
            (await ask("POST", collection, objects[collection])).body.id,
          )
        : one.path
      const { body: book } = await ask("POST", "/contact-books", { name: "Readers" })
      const reply = await ask(one.method, path, shownBody(one, team, { bookId: book.id }))
      expect([reply.status, reply.body]).toEqual([one.status, expect.anything()])
      expectSameMembers(replyOf(one), reply.body)
      expectChanges(one, reply.body)
    },
  )

  it("has a body wherever one is needed", () => {
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

const reference = readReference(all, "https://example.com")
const calls = reference.chapters.flatMap((chapter) => chapter.calls)

function replyOf(endpoint: Endpoint): unknown {
  return exampleReply(calls.find((one) => one.endpoint === endpoint)!, reference.schemas)
}

/** Times and ids are never the same again. */
const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
      .replace(/_[0-9A-Z]{26}/g, ""),
  )

/** What this call did to the record is what its reply shows of it. */
function expectChanges({ method, example, exampleReply }: Endpoint, reply: object): void {
  const changes = { ...(method === "PATCH" && (example?.() as object)), ...exampleReply?.() }
  for (const [name, value] of Object.entries(changes)) {
    if (name === "records") continue
    expect([name, timeless((reply as Record<string, unknown>)[name])]).toEqual([
      name,
      timeless(value),
    ])
  }
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
  if (/(tags|properties|mergeDefaults)$/.test(path) || /blocks|event$|headers$/.test(path)) return
  expect([path, Object.keys(shown).sort()]).toEqual([path, Object.keys(real).sort()])
  for (const [name, value] of Object.entries(shown)) {
    expectSameMembers(value, (real as Record<string, unknown>)[name], `${path}.${name}`)
  }
}
