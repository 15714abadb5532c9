import { beforeAll, describe, expect, it } from "vitest"
import * as z from "zod"
import { newId } from "../../../../src/lib/id.ts"
import { dashboardEndpoints, endpoints } from "../../../../src/worker/contract.ts"
import type { Endpoint } from "../../../../src/worker/platform/http/endpoint.ts"
import type { ApiError, Issue } from "../../../../src/worker/platform/http/errors.ts"
import { readInput } from "../../../../src/worker/platform/http/input/read-input.ts"
import { request } from "../../../support/api.ts"
import { makeTeam, type Team } from "../../../support/team.ts"

interface Member {
  /** The JSON schema of the object that has it, and where the object stands. */
  object: string
  path: (string | number)[]
  name: string
  /** A value with only that object in it, and what the objects need so that their kind is known. */
  within: (object: object) => unknown
}

interface Json {
  [member: string]: Json
}

/** How often a schema that contains itself is followed: once inside of itself. */
const MAX_FOLLOWED = 2

/** Every member of a schema, at any depth, as its JSON schema shows them. */
function membersOf(schema: z.ZodType): Member[] {
  const root = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as unknown as Json
  function walk(
    node: Json,
    path: Member["path"],
    within: (value: unknown) => unknown,
    followed: readonly string[],
  ): Member[] {
    const ref = node.$ref as unknown as string | undefined
    if (ref) {
      if (followed.filter((one) => one === ref).length === MAX_FOLLOWED) return []
      return walk(root.$defs![ref.split("/").at(-1)!]!, path, within, [...followed, ref])
    }
    const properties = Object.entries((node.properties ?? {}) as Json)
    const kinds = properties.filter(([, one]) => typeof (one as Json).const === "string")
    const beside = Object.fromEntries(kinds.map(([name, one]) => [name, (one as Json).const]))
    const withKind = (value: unknown) => within({ ...beside, ...(value as object) })
    const object = JSON.stringify(node)
    return [
      ...properties.flatMap(([name, one]) => [
        { object, path, name, within: withKind },
        ...walk(one, [...path, name], (value) => withKind({ [name]: value }), followed),
      ]),
      ...(node.items ? walk(node.items, [...path, 0], (item) => within([item]), followed) : []),
      ...["anyOf", "oneOf", "allOf"].flatMap((key) =>
        ((node[key] ?? []) as Json[]).flatMap((one) => walk(one, path, within, followed)),
      ),
    ]
  }
  return walk(root, [], (value) => value, [])
}

const swap = (name: string) => `${name[0]}${name[1]}${name[3]}${name[2]}${name.slice(4)}`
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function misspellings(name: string): string[] {
  const spelt = [name.toUpperCase(), `${name[0]}_${name.slice(1)}`, `${name}-`, snake(name)]
  const mistyped = [swap(name), name.slice(0, -1), `${name}x`, `x${name.slice(1)}`]
  return [...spelt, ...(name.length >= 5 ? mistyped : [])].filter((one) => one !== name)
}

function issuesOf(schema: z.ZodType, value: unknown): Issue[] {
  try {
    readInput(schema, value)
    return []
  } catch (error) {
    return (error as ApiError).details as Issue[]
  }
}

const all = [...endpoints, ...dashboardEndpoints]
const parts = all.flatMap((one) =>
  (["json", "query"] as const).flatMap((part) => {
    const schema = one[part]
    return schema ? [[`${part} of ${one.method} ${one.path}`, schema] as const] : []
  }),
)

/** Objects that many inputs have, such as blocks, are tried in the first one. */
const tried = new Set<string>()

describe.each(parts)("the %s", (_name, schema) => {
  it("names the member that a misspelt one stands for", () => {
    const found = membersOf(schema)
    expect(found.length).toBeGreaterThan(0)
    const members = found.filter(({ object }) => !tried.has(object))
    for (const { object } of members) tried.add(object)
    const names = new Set(found.map(({ name }) => name))
    for (const { path, name, within } of members) {
      for (const wrong of misspellings(name).filter((one) => !names.has(one))) {
        for (const both of [{}, { [name]: undefined }]) {
          const value = within({ ...both, [wrong]: 1 })
          expect(issuesOf(schema, value)).toContainEqual({
            path: [...path, wrong],
            message: expect.stringMatching(`Unknown: did you mean '.*\\b${name}\\b`),
          })
        }
      }
    }
  })
})

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const guarded = endpoints.filter(({ access }) => access !== "public")
const withIds = (path: string) => path.replace(/:[A-Za-z]+/g, () => newId("email"))

/** Refused calls change nothing, so all endpoints are tried with one team. */
let team: Team
beforeAll(async () => {
  team = await makeTeam()
})

describe("over HTTP a misspelt member", () => {
  it.each(guarded.filter(({ json }) => json).map((one) => [nameOf(one), one] as const))(
    "is refused by %s",
    async (_name, one) => {
      const { api } = team
      const { name } = membersOf(one.json!)[0]!
      const wrong = { [`${name}_`]: 1 }
      const reply = await request(
        one.method,
        `/api/v1${withIds(one.path)}`,
        one.perItem ? [wrong] : wrong,
        {
          authorization: `Bearer ${api.key}`,
        },
      )
      expect([reply.status, reply.body.error.code]).toEqual([400, "validation_error"])
      expect(reply.body.error.message).toBe(`${name}_: Unknown: did you mean '${name}'?`)
    },
  )

  it.each(guarded.filter(({ query }) => query).map((one) => [nameOf(one), one] as const))(
    "of the query is refused by %s",
    async (_name, one) => {
      const { api } = team
      for (const name of Object.keys(one.query!.shape)) {
        const call = one.method === "POST" ? api.post : api.get
        const reply = await call(`${withIds(one.path)}?${name.toUpperCase()}=x`)
        expect(reply.status).toBe(400)
        expect(reply.body.error.message).toContain(`did you mean '${name}'?`)
      }
    },
  )

  it("keeps a scheduled email from going out at once", async () => {
    const { api, domain } = await makeTeam()
    const email = { from: `a@${domain}`, to: "b@example.com", subject: "Hi", text: "Hi" }
    for (const name of ["scheduled_at", "scheduledat", "schedueldAt"]) {
      const reply = await api.post("/emails", { ...email, [name]: "2027-01-01T00:00:00Z" })
      expect(reply.status).toBe(400)
      expect(reply.body.error.details).toEqual([
        { path: [name], message: "Unknown: did you mean 'scheduledAt'?" },
      ])
    }
    expect((await api.get("/emails")).body.data).toEqual([])
  })
})

describe("a name of the caller's own choice", () => {
  it("is no misspelling, however near it is to another", async () => {
    const { api, domain } = await makeTeam()
    const reply = await api.post("/emails", {
      from: `a@${domain}`,
      to: "b@example.com",
      subject: "Hi",
      text: "Hi",
      tags: { Subject: "a", reply_to: "b" },
      headers: { "X-Tag": "1" },
      unrelated: 1,
      subjectLine: 2,
      fron: 3,
    })
    expect(reply.status).toBe(201)
  })
})

describe("a PATCH", () => {
  it.each(
    guarded.filter(({ method }) => method === "PATCH").map((one) => [nameOf(one), one] as const),
  )("%s of nothing that it knows is refused", async (_name, one) => {
    const { api } = team
    for (const body of [{}, { slug: "other" }, { unrelated: 1 }]) {
      const reply = await api.patch(withIds(one.path), body)
      expect([reply.status, reply.body.error.code]).toEqual([400, "validation_error"])
    }
  })
})
