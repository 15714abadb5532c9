import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, expect, it, vi } from "vitest"
import { createApp } from "../../../../src/worker/app.ts"
import { workerEnv } from "../../../support/installation.ts"
import { makeTeam } from "../../../support/team.ts"

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const call = (path: string, key: string, DB: D1Database) =>
  createApp().fetch(
    new Request(`https://mail.example.com${path}`, {
      headers: { authorization: `Bearer ${key}`, "x-request-id": "req_of_the_test" },
    }),
    workerEnv({ DB }),
    createExecutionContext(),
  )

/** A database whose batches do something first. */
const before = (first: () => Promise<unknown>) =>
  new Proxy(env.DB, {
    get(db, name) {
      const value = Reflect.get(db, name)
      if (typeof value !== "function") return value
      if (name !== "batch") return value.bind(db)
      return async (statements: D1PreparedStatement[]) => {
        await first()
        return db.batch(statements)
      }
    },
  })

it("logs a failed request as one line with its id, its route and no content", async () => {
  const lines = vi.spyOn(console, "error").mockImplementation(() => {})
  const { api } = await makeTeam()
  const DB = before(async () => {
    throw new Error("D1_ERROR: gone")
  })
  const { status } = await call("/api/v1/emails?to=ada@example.org", api.key, DB)
  expect(status).toBe(500)
  expect(lines).toHaveBeenCalledTimes(1)
  const [line] = lines.mock.calls[0] as [string]
  expect(JSON.parse(line)).toMatchObject({
    level: "error",
    requestId: "req_of_the_test",
    method: "GET",
    route: "/api/v1/emails",
    status: 500,
    error: "D1_ERROR: gone",
  })
  expect(line).not.toContain("ada@example.org")
  expect(line).not.toContain(api.key)
})

it("logs a slow request, and no other", async () => {
  const lines = vi.spyOn(console, "warn").mockImplementation(() => {})
  const { api } = await makeTeam()
  vi.useFakeTimers({ toFake: ["Date"] })
  await call("/api/v1/emails", api.key, env.DB)
  expect(lines).not.toHaveBeenCalled()
  const DB = before(async () => vi.setSystemTime(Date.now() + 2_050))
  const { status } = await call("/api/v1/suppressions?limit=5", api.key, DB)
  expect(status).toBe(200)
  expect(lines).toHaveBeenCalledTimes(1)
  expect(JSON.parse(lines.mock.calls[0]?.[0])).toMatchObject({
    level: "warn",
    slow: true,
    route: "/api/v1/suppressions",
    status: 200,
  })
})
