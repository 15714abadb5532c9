import { describe, expect, it } from "vitest"
import type * as z from "zod"
import { endpoints } from "../../src/contract.ts"
import type { Endpoint } from "../../src/http/endpoint.ts"
import { newId } from "../../src/lib/id.ts"
import { request } from "../support/api.ts"
import { cpuOf } from "../support/cpu.ts"
import { makeTeam, type Team } from "../support/team.ts"
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

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const withIds = (path: string) =>
  path.replace(/:([A-Za-z]+)/g, (_match, name) => (name === "email" ? "a@b.co" : newId("email")))
const post = ({ api }: Team, one: Endpoint, body: string) =>
  request(one.method, `/api/v1${withIds(one.path)}`, body, { authorization: `Bearer ${api.key}` })

const bodies = endpoints.filter(({ json }) => json).map((one) => [nameOf(one), one] as const)
const queries = endpoints.filter(({ query }) => query).map((one) => [nameOf(one), one] as const)

describe.each(bodies)("the time of %s grows with its body", (name, one) => {
  it("in every member", async () => {
    const team = await makeTeam()
    const { body = {} } = await examples[name]!(team)
    const schema = one.perItem ? (one.json as z.ZodArray).element : one.json
    for (const member of Object.keys((schema as z.ZodObject).shape)) {
      for (const make of VALUES) {
        await expectLinear(
          async (size) => (await post(team, one, withMember(body, member, make(size)))).status,
        )
      }
    }
  }, 300_000)

  it("as a whole", async () => {
    const team = await makeTeam()
    for (const make of [...VALUES, (size: number) => list(size * 29, "[]")]) {
      await expectLinear(async (size) => (await post(team, one, make(size))).status)
    }
  }, 120_000)
})

describe.each(queries)("the time of %s grows with its query", (_name, one) => {
  it("in every parameter", async () => {
    const team = await makeTeam()
    for (const parameter of [...Object.keys(one.query!.shape), "unknown"]) {
      await expectLinear(async (size) => {
        const query = `${parameter}=${"%20<".repeat(size / 2)}&${`${parameter}=1&`.repeat(size / 10)}`
        return (await team.api.get(`${withIds(one.path)}?${query}`)).status
      })
    }
  })
})
