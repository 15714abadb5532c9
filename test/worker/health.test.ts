import { env } from "cloudflare:workers"
import { expect, it, vi } from "vitest"
import { makeHealth } from "../../src/worker/health.ts"
import { request } from "../support/api.ts"
import { metered } from "../support/meter.ts"
import { endPauses } from "../support/providers.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { makeClock } from "../support/work.ts"

/** The statement of a database that is away. */
const away = {
  prepare: () => {
    throw new Error("D1_ERROR: network connection lost")
  },
} as unknown as D1Database

const slow = {
  prepare: (sql: string) => {
    const statement = env.DB.prepare(sql)
    return {
      bind: () => ({
        ...statement,
        all: () => new Promise(() => {}),
        raw: () => new Promise(() => {}),
      }),
    }
  },
} as unknown as D1Database

async function queueEmail({ api, domain }: Team, { lateSeconds }: { lateSeconds: number }) {
  const { body } = await api.post("/emails", {
    from: `a@${domain}`,
    to: "stuck@simulator.amazonses.com",
    subject: "s",
    text: "t",
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const at = Date.now() - lateSeconds * 1000
  await env.DB.prepare(
    "update emails set status = 'queued', not_before = ?, due_at = ? where id = ?",
  )
    .bind(at, at, body.id)
    .run()
}

it("says how late the oldest due email is, and is not late when nothing waits", async () => {
  const clock = makeClock()
  const health = makeHealth(clock.now)
  expect(await health(env)).toEqual({ status: "ok", oldestDueSeconds: 0 })
  await queueEmail(await makeTeam(), { lateSeconds: 90 })
  await queueEmail(await makeTeam(), { lateSeconds: 30 })
  clock.advance(5_001)
  const { oldestDueSeconds } = (await health(env)) as { oldestDueSeconds: number }
  expect(oldestDueSeconds).toBeGreaterThanOrEqual(90)
  expect(oldestDueSeconds).toBeLessThan(120)
})

it("is unavailable while a setting is wrong, since every call fails", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {})
  const health = makeHealth(makeClock().now)
  const { status, ...others } = await health({ ...env, METRICS_TOKEN: "short-secret" })
  expect([status, others]).toEqual([
    "unavailable",
    { reason: "A setting is wrong: the log names it." },
  ])
  const logged = JSON.stringify(log.mock.calls)
  expect(logged).toContain("METRICS_TOKEN")
  expect(logged).not.toContain("short-secret")
  vi.restoreAllMocks()
})

it("looks into the database once in five seconds, and reads a bounded number of rows", async () => {
  for (let teams = 0; teams < 20; teams++) await queueEmail(await makeTeam(), { lateSeconds: 1 })
  const clock = makeClock()
  const health = makeHealth(clock.now)
  const cost = await metered(async () => {
    for (let calls = 0; calls < 50; calls++) await health(env)
  })
  expect(cost.roundTrips).toBe(1)
  expect(cost.rowsWritten).toBe(0)
  expect(cost.rowsRead).toBeLessThan(4 * 22)
  clock.advance(5_001)
  expect((await metered(() => health(env))).roundTrips).toBe(1)
})

it("answers 503 when the database is away, and asks again later", async () => {
  const silence = vi.spyOn(console, "error").mockImplementation(() => {})
  const clock = makeClock()
  const health = makeHealth(clock.now)
  const reason = "The database does not answer."
  expect(await health({ ...env, DB: away })).toEqual({ status: "unavailable", reason })
  expect((await health(env)).status).toBe("unavailable")
  clock.advance(5_001)
  expect((await health(env)).status).toBe("ok")
  silence.mockRestore()
})

it("does not wait for a database that hangs", async () => {
  const silence = vi.spyOn(console, "error").mockImplementation(() => {})
  const health = makeHealth()
  expect((await health({ ...env, DB: slow })).status).toBe("unavailable")
  silence.mockRestore()
})

it("is public and not to be cached", async () => {
  const { status, body, headers } = await request("GET", "/health")
  expect([status, body.status]).toEqual([200, "ok"])
  expect(headers.get("cache-control")).toBe("no-store")
})

it("names a provider that takes no mail, and since when, without the reason", async () => {
  await env.DB.prepare(
    "insert into provider_pauses values ('ses', 0, 'key refused', 0, null)",
  ).run()
  expect(await makeHealth(() => 1_000_000)(env)).toMatchObject({
    status: "ok",
    paused: [{ provider: "ses", since: "1970-01-01T00:00:00.000Z" }],
  })
  await endPauses()
})
