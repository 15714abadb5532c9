import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import * as z from "zod"
import { newId } from "../../../../src/lib/id.ts"
import { dashboardEndpoints, endpoints } from "../../../../src/worker/contract.ts"
import type { Endpoint } from "../../../../src/worker/platform/http/endpoint.ts"
import { moveAuditEntries } from "../../../../src/worker/teams/audit/move-entries.ts"
import { type Reply, request } from "../../../support/api.ts"
import { fakeInternet } from "../../../support/internet.ts"
import { makePerson, type Person } from "../../../support/session.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { directoryWork } from "../../../support/work.ts"
import { type Example, examples } from "../../platform/http/examples.ts"
import { dashboardExamples } from "./examples.ts"
import { UNAUDITED } from "./unaudited.ts"

beforeAll(async () => {
  fakeInternet()
  await Promise.all([import("better-auth/minimal"), import("@better-auth/passkey")])
})

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

/** Calls whose example finds nothing to change. */
const UNCHANGED: Record<string, string> = {
  "domains.addRecords": "no account of Cloudflare is configured",
}

describe("every call of the dashboard", () => {
  const isChange = (one: Endpoint) => one.method !== "GET"
  let stranger: Person
  beforeAll(async () => {
    stranger = await makePerson((await makeTeam()).id, "owner")
  })

  it("that the audit log leaves out is one of the contract", () => {
    const names = calls.filter(([, one]) => isChange(one)).map(([, { name }]) => name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(UNAUDITED)))
  })

  it.each(calls)(
    "replies by its schema, knows no object of another team, and is noted once: %s",
    async (name, one) => {
      const { team, owner } = await open()
      const example = await exampleOf(name, team, owner)
      if (one.path.includes(":")) await expectUnknown(one, example, stranger)
      const before = (await readNotes(team)).length
      expectBySchema(one, await ask(one, example, owner))
      if (!isChange(one)) return
      const noted = (await readNotes(team)).slice(before)
      const note = { action: one.name, actor_type: "user", actor_id: owner.id }
      const isNoted = !(one.name in UNAUDITED || one.name in UNCHANGED)
      expect(noted).toMatchObject(isNoted ? [{ ...note, actor_name: "Somebody" }] : [])
    },
  )
})

async function readNotes(team: Team): Promise<Record<string, string>[]> {
  await moveAuditEntries(directoryWork())
  const { results } = await env.DB.prepare("select * from audit_log where team_id = ? order by id")
    .bind(team.id)
    .all<Record<string, string>>()
  return results
}

function expectBySchema(one: Endpoint, reply: Reply): void {
  expect(reply.status).toBe(one.status)
  if (one.status === 204) {
    expect(reply.body).toBe("")
  } else if (one.response) {
    const schema = one.response as z.ZodType<unknown, unknown>
    expect(z.encode(schema, z.decode(schema, reply.body))).toEqual(reply.body)
  }
}

async function expectUnknown(one: Endpoint, example: Example, stranger: Person): Promise<void> {
  const { path, body } = example
  const cookies = example.headers?.cookie?.split("; ").slice(1).join("; ") ?? ""
  const headers = { cookie: `${stranger.cookie}; ${cookies}` }
  const theirs = await ask(one, { path, body, headers }, stranger)
  if (one.name === "recipients.get") {
    expect(theirs.body).toMatchObject({ suppression: null, contacts: [] })
    return
  }
  expect([theirs.status, theirs.body.error.code]).toEqual([404, "not_found"])
  const unknown = path.replace(/(?<=\/)[^/]*[0-9A-Z]{20}[^/]*/, () => newId("email"))
  expect((await ask(one, { path: unknown, body, headers }, stranger)).body).toEqual(theirs.body)
}
