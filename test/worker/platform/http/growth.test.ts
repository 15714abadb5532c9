import { describe, expect, it } from "vitest"
import * as z from "zod"
import { newId } from "../../../../src/lib/id.ts"
import { dashboardEndpoints, endpoints, visitorEndpoints } from "../../../../src/worker/contract.ts"
import type { Endpoint } from "../../../../src/worker/platform/http/endpoint.ts"
import { request } from "../../../support/api.ts"
import { cpuOf } from "../../../support/cpu.ts"
import { makePerson } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"
import { dashboardExamples } from "../../access/people/examples.ts"
import { NEEDED, RESEND_BODIES } from "../../resend/bodies.ts"
import { examples } from "./examples.ts"

/** JSON text, since deep nesting cannot be written by JSON.stringify. */
type Make = (size: number) => string

const list = (count: number, item: string) => `[${Array(count).fill(item).join()}]`
const named = (count: number, value: string) =>
  `{${Array.from({ length: count }, (_, index) => `"name${index}":${value}`).join()}}`
const text = (value: string) => JSON.stringify(value)

/** What a member of a body may be, each for a size. */
const VALUES: Make[] = [
  (size) => text("x".repeat(size * 10)),
  (size) => text(`a${" ".repeat(size * 10)}b`),
  (size) => text(`"${'<a"\\'.repeat(size * 2)}`),
  (size) => text("{{ a }} {{".repeat(size)),
  (size) => text(`https://${"a@".repeat(size * 5)}`),
  (size) => list(size / 10, text(`A${" ".repeat(200)}b <a@b.co>`)),
  (size) => list(size, "{}"),
  (size) => list(size, '{"_":[{}]}'),
  (size) => named(size, '"x"'),
  (size) => named(size, "[]"),
  (size) => "[".repeat(size) + "]".repeat(size),
  (size) => `${'{"a":'.repeat(size)}1${"}".repeat(size)}`,
]

/** The body with this member, which is JSON text. */
function withMember(body: unknown, name: string, value: string): string {
  const [first = {}, perItem] = Array.isArray(body) ? [body[0], true] : [body]
  const { [name]: _, ...others } = first as Record<string, unknown>
  const object = `{${text(name)}:${value},${JSON.stringify(others).slice(1)}`.replace(/,}$/, "}")
  return perItem ? `[${object}]` : object
}

const SMALL = 1_000
const LARGE = 10_000
const TRIES = 6
const MAX_GROWTH = 11
/** Below this, chance is larger than what grows. */
const FLOOR_MS = 3
const MAX_MS = 200

async function cpuOfCall(ask: () => Promise<number>): Promise<number> {
  return cpuOf(async () => expect(await ask()).toBeLessThan(500))
}

/** CPU time grows at most as the size does. Other work may disturb a try, so the least counts. */
async function expectLinear(ask: (size: number) => Promise<number>) {
  let large = await cpuOfCall(() => ask(LARGE))
  let small = Number.POSITIVE_INFINITY
  if (!isOver(large, FLOOR_MS)) return
  for (let attempt = 0; attempt < TRIES; attempt++) {
    small = Math.min(small, Math.max(FLOOR_MS, await cpuOfCall(() => ask(SMALL))))
    large = Math.min(large, await cpuOfCall(() => ask(LARGE)))
  }
  expect(large).toBeLessThan(MAX_MS)
  expect(large / small).toBeLessThanOrEqual(MAX_GROWTH)
}

const isOver = (large: number, small: number) => large > MAX_MS || large / small > MAX_GROWTH

const withIds = (path: string) =>
  path.replace(/:([A-Za-z]+)/g, (_match, name) => (name === "email" ? "a@b.co" : newId("email")))

/** What visitors send, without a session; nothing of it is right. */
const VISITS: Record<string, object> = {
  "/claim": { code: "x", teamName: "T", name: "N", email: "a@b.co", password: "a long password" },
  "/invitations/accept": { token: "x", name: "N", password: "a long password" },
  "/invitations/read": { token: "x" },
  "/passkey/verify": { response: { id: "x", rawId: "x", type: "public-key", response: {} } },
  "/password-reset": { email: "a@b.co" },
  "/password-reset/complete": { token: "x", password: "a long password" },
  "/sign-in/email": { email: "a@b.co", password: "a long password" },
  "/sign-in/social": { provider: "google" },
}

/** A caller of the endpoint: with a key, with a session, or with neither. */
async function open(one: Endpoint) {
  const name = `${one.method} ${one.path}`
  const team = await makeTeam()
  const owner = await makePerson(team.id, "owner")
  const isOf = (list: readonly Endpoint[]) => list.includes(one)
  const [prefix, headers, body] = isOf(endpoints)
    ? ["/api/v1", { authorization: `Bearer ${team.api.key}` }, (await examples[name]!(team)).body]
    : isOf(visitorEndpoints)
      ? ["/dashboard/auth", {}, VISITS[one.path]]
      : [
          "/dashboard/api",
          { cookie: owner.cookie },
          (await dashboardExamples[name]!(team, owner)).body,
        ]
  const path = `${prefix}${withIds(one.path)}`
  return {
    body: body ?? {},
    send: async (text: string) =>
      (await request(one.method, path, text, headers as Record<string, string>)).status,
    ask: async (query: string) =>
      (await request("GET", `${path}?${query}`, undefined, headers as Record<string, string>))
        .status,
  }
}

const all = [...endpoints, ...dashboardEndpoints, ...visitorEndpoints].map(
  (one) => [`${one.method} ${one.path} (${one.access})`, one] as const,
)
const bodies = all.filter(([, { json }]) => json)
const queries = all.filter(([, { query }]) => query)

describe.each(bodies)("the time of %s grows with its body", (_name, one) => {
  it("in every member", async () => {
    const { body, send } = await open(one)
    const json = one.perItem ? (one.json as z.ZodArray).element : one.json
    // One event, or a list of them.
    const schema = json instanceof z.ZodUnion ? json.options[0] : json
    for (const member of Object.keys((schema as z.ZodObject).shape)) {
      for (const make of VALUES) {
        await expectLinear((size) => send(withMember(body, member, make(size))))
      }
    }
  }, 300_000)

  it("as a whole", async () => {
    const { send } = await open(one)
    for (const make of [...VALUES, (size: number) => list(size * 29, "[]")]) {
      await expectLinear((size) => send(make(size)))
    }
  }, 120_000)
})

describe.each(queries)("the time of %s grows with its query", (_name, one) => {
  it("in every parameter", async () => {
    const { ask } = await open(one)
    for (const parameter of [...Object.keys(one.query!.shape), "unknown"]) {
      await expectLinear((size) =>
        ask(`${parameter}=${"%20<".repeat(size / 2)}&${`${parameter}=1&`.repeat(size / 10)}`),
      )
    }
  })
})

describe.each(Object.entries(RESEND_BODIES))(
  "the time of Resend's %s grows with its body",
  (call, names) => {
    it("in every member, and as a whole", async () => {
      const { api } = await makeTeam()
      const { body: book } = await api.post("/contact-books", { name: "Readers" })
      await api.post(`/contact-books/${book.id}/contacts`, { email: NEEDED.email })
      await api.post("/templates", { slug: "t", name: "T", subject: "S", bodyHtml: "x" })
      const [method = "", path = ""] = call.split(" ")
      const members = names.split(" ")
      const needed = Object.fromEntries(
        Object.entries(NEEDED).filter(([name]) => members.includes(name)),
      )
      const body = path.endsWith("/emails/batch") ? [needed] : needed
      const headers = { authorization: `Bearer ${api.key}` }
      const send = async (text: string) =>
        (await request(method, `/resend${withIds(path)}`, text, headers)).status
      for (const make of VALUES) {
        for (const member of members) {
          await expectLinear((size) => send(withMember(body, member, make(size))))
        }
        await expectLinear((size) => send(make(size)))
      }
    }, 300_000)
  },
)
