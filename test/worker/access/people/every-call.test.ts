import { env } from "cloudflare:workers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as z from "zod"
import { newId } from "../../../../src/lib/id.ts"
import { dashboardEndpoints, endpoints } from "../../../../src/worker/contract.ts"
import type { Endpoint } from "../../../../src/worker/platform/http/endpoint.ts"
import { moveAuditEntries } from "../../../../src/worker/teams/audit/move-entries.ts"
import { request } from "../../../support/api.ts"
import { fakeInternet, type Internet } from "../../../support/internet.ts"
import { makePerson, type Person } from "../../../support/session.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { directoryWork } from "../../../support/work.ts"
import { type Example, examples } from "../../platform/http/examples.ts"
import { dashboardExamples } from "./examples.ts"
import { UNAUDITED } from "./unaudited.ts"

let internet: Internet
beforeAll(async () => {
  internet = fakeInternet()
  await Promise.all([import("better-auth/minimal"), import("@better-auth/passkey")])
})
afterAll(() => internet.restore())

const calls = [...endpoints.filter(({ access }) => access !== "public"), ...dashboardEndpoints]
  .filter(({ path }) => path !== "/me")
  .map((one) => [`${one.method} ${one.path}`, one] as const)

async function open() {
  const team = await makeTeam()
  return { team, owner: await makePerson(team.id, "owner") }
}

async function exampleOf(name: string, team: Team, owner: Person): Promise<Example> {
  const make = examples[name] ?? dashboardExamples[name]
  expect(make, `test/worker/access/people/examples.ts has no example of ${name}`).toBeDefined()
  return make!(team, owner)
}

const ask = (one: Endpoint, { path, body, headers }: Example, { cookie }: Person) =>
  request(one.method, `/dashboard/api${path}`, body, { cookie, ...headers })

describe("a reply of the dashboard", () => {
  it.each(calls)("to %s parses against its schema", async (name, one) => {
    const { team, owner } = await open()
    const reply = await ask(one, await exampleOf(name, team, owner), owner)
    expect(reply.status).toBe(one.status)
    if (one.status === 204) return expect(reply.body).toBe("")
    if (!one.response) return
    const schema = one.response as z.ZodType<unknown, unknown>
    expect(z.encode(schema, z.decode(schema, reply.body))).toEqual(reply.body)
  })
})

describe("another team's object", () => {
  const ofOneObject = calls.filter(([, { path }]) => path.includes(":"))

  it.each(ofOneObject)("is unknown to %s", async (name, one) => {
    const { team, owner } = await open()
    const stranger = await makePerson((await makeTeam()).id, "owner")
    const example = await exampleOf(name, team, owner)
    const { path, body } = example
    const cookies = example.headers?.cookie?.split("; ").slice(1).join("; ") ?? ""
    const headers = { cookie: `${stranger.cookie}; ${cookies}` }
    const theirs = await ask(one, { path, body, headers }, stranger)
    if (one.name === "recipients.get") {
      return expect(theirs.body).toMatchObject({ suppression: null, contacts: [] })
    }
    expect([theirs.status, theirs.body.error.code]).toEqual([404, "not_found"])
    const unknown = path.replace(/(?<=\/)[^/]*[0-9A-Z]{20}[^/]*/, () => newId("email"))
    expect((await ask(one, { path: unknown, body, headers }, stranger)).body).toEqual(theirs.body)
    expect((await ask(one, example, owner)).status).toBe(one.status)
  })
})

/** Calls whose example finds nothing to change. */
const UNCHANGED: Record<string, string> = {
  "domains.addRecords": "no account of Cloudflare is configured",
}

describe("the audit log of the dashboard", () => {
  const changes = calls.filter(([, { method }]) => method !== "GET")

  it("leaves out only calls that the contract has", () => {
    const names = changes.map(([, { name }]) => name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(UNAUDITED)))
  })

  it.each(changes)("notes once who made the change of %s", async (name, one) => {
    const { team, owner } = await open()
    const example = await exampleOf(name, team, owner)
    const read = async () => {
      await moveAuditEntries(directoryWork())
      return env.DB.prepare("select * from audit_log where team_id = ? order by id")
        .bind(team.id)
        .all<Record<string, string>>()
    }
    const before = (await read()).results.length
    expect((await ask(one, example, owner)).status).toBe(one.status)
    const noted = (await read()).results.slice(before)
    if (one.name in UNAUDITED || one.name in UNCHANGED) return expect(noted).toEqual([])
    expect(noted).toMatchObject([
      { action: one.name, actor_type: "user", actor_id: owner.id, actor_name: "Somebody" },
    ])
  })
})
