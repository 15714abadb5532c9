import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { makeTeam, type Team } from "../../support/team.ts"

let team: Team

beforeAll(async () => {
  team = await makeTeam()
})

/** The query plan of each statement that a call gives to the database. */
async function plansOf(call: () => Promise<unknown>): Promise<string[][]> {
  const statements: D1PreparedStatement[] = []
  const batch = env.DB.batch.bind(env.DB)
  const spy = vi.spyOn(env.DB, "batch").mockImplementation(async (batched) => {
    statements.push(...batched)
    return batch(batched) as never
  })
  await call().finally(() => spy.mockRestore())
  return Promise.all(
    statements.map(async (statement) => {
      const { statement: text, params } = statement as unknown as {
        statement: string
        params: unknown[]
      }
      const { results } = await env.DB.prepare(`explain query plan ${text}`)
        .bind(...params)
        .all<{ detail: string }>()
      return results.map(({ detail }) => detail)
    }),
  )
}

const message = (change: object = {}) => ({
  from: `sender@mail.${team.domain}`,
  to: ["a@example.com", "b@example.com"],
  subject: "Hello",
  text: "Hi",
  tags: { kind: "welcome" },
  idempotencyKey: crypto.randomUUID(),
  ...change,
})

const RANGE = "since=2026-03-01T00:00:00Z&until=2026-04-01T00:00:00Z"

/** The names by which the statements call the tables of the database. */
const TABLES = "emails|email_\\w+|api_keys|teams|domains|suppressions|stats_days|prior|[des]"
const sortsOrScans = new RegExp(`TEMP B-TREE|AUTOMATIC|^SCAN (${TABLES})\\b`)

describe("the query plan", () => {
  it.each([
    ["an accept", () => team.api.post("/emails", message())],
    ["a batch", () => team.api.post("/emails/batch", [message(), message()])],
    ["GET /me", () => team.api.get("/me")],
    ["a list", () => team.api.get("/emails")],
    ["a list by address", () => team.api.get("/emails?to=a@example.com")],
    ["a list by tag", () => team.api.get("/emails?tag=kind:welcome")],
    ["a list by a rare status", () => team.api.get("/emails?status=bounced")],
    ["a range", () => team.api.get(`/emails?${RANGE}`)],
    ["a range by address", () => team.api.get(`/emails?to=a@example.com&${RANGE}`)],
    ["a range by tag", () => team.api.get(`/emails?tag=kind:welcome&${RANGE}`)],
    ["a range by campaign", () => team.api.get(`/emails?campaignId=${newId("campaign")}&${RANGE}`)],
    ["a range by a rare status", () => team.api.get(`/emails?status=bounced&${RANGE}`)],
    ["an email", () => team.api.get("/emails/em_0")],
    ["statistics", () => team.api.get("/stats")],
  ])("of %s has neither a sort nor a temporary index, and scans no table", async (_name, call) => {
    const plans = await plansOf(call)
    expect(plans.length).toBeGreaterThan(0)
    for (const step of plans.flat()) expect(step).not.toMatch(sortsOrScans)
  })

  it("of an accept has four statements with the key's row, and five with tags", async () => {
    expect(await plansOf(() => team.api.post("/emails", message({ tags: {} })))).toHaveLength(4)
    expect(await plansOf(() => team.api.post("/emails", message()))).toHaveLength(5)
  })
})
