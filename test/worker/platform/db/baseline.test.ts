import { applyD1Migrations, reset } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { runCron } from "../../../../src/worker/cron.ts"
import { createApi } from "../../../support/api.ts"
import { addKey } from "../../../support/team.ts"
import { makeClock, testWork } from "../../../support/work.ts"
import baseline from "./baseline.sql?raw"

const BASELINE_FILES = 8
const CREATED_AT = Date.UTC(2026, 10, 23)

const statements = baseline.split(/;\n/).filter((statement) => /^insert/m.test(statement))
const tables = statements.map((statement) => /insert into (\w+)/.exec(statement)?.[1] ?? "")

const rowsOf = async (table: string) =>
  (await env.DB.prepare(`select * from ${table}`).all<Record<string, unknown>>()).results

/** A database of the first version with all later migrations. Returns the rows that it had before. */
async function upgrade() {
  await reset()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS.slice(0, BASELINE_FILES))
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))
  const before = await Promise.all(tables.map(rowsOf))
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  return before
}

it("every row of the first version comes through all later migrations", async () => {
  expect(tables.length).toBeGreaterThan(25)
  const before = await upgrade()
  for (const [index, table] of tables.entries()) {
    const after = await rowsOf(table)
    expect(after, table).toHaveLength(before[index]?.length ?? 0)
    expect(after, table).toEqual(before[index]?.map((row) => expect.objectContaining(row)))
  }
})

it("a team of the first version reads its data and sends, and the cron runs", async () => {
  await upgrade()
  const [{ id: teamId } = {}] = (await rowsOf("teams")).filter(({ name }) => name === "Demo")
  const api = createApi(await addKey(teamId as string))
  const lists = {
    "/emails": 12,
    "/domains": 2,
    "/templates": 4,
    "/contact-books": 2,
    "/campaigns": 3,
    "/suppressions": 5,
    "/webhooks": 2,
  }
  for (const [path, count] of Object.entries(lists)) {
    const { status, body } = await api.get(path)
    expect([path, status, body.data?.length]).toEqual([path, 200, count])
  }
  const { body } = await api.get("/emails")
  expect((await api.get(`/emails/${body.data[0].id}`)).body.events.length).toBeGreaterThan(0)
  const sent = { from: "hello@demo.test", to: "ada@example.com", subject: "Hi", text: "Hi" }
  expect((await api.post("/emails", sent)).status).toBe(201)
  await runCron(testWork({ clock: makeClock(CREATED_AT) }).work)
})
