import { env } from "cloudflare:workers"
import { expect, it, vi } from "vitest"
import { withDeferred } from "../../../src/worker/platform/db/commit.ts"
import { ApiError, toApiError } from "../../../src/worker/platform/http/errors.ts"
import { makeTeam } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

it("a call answers 503 with retry-after while the database is overloaded", async () => {
  const { api } = await makeTeam()
  vi.spyOn(console, "error").mockImplementation(() => {})
  const batch = vi
    .spyOn(Object.getPrototypeOf(env.DB), "batch")
    .mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long."))
  const reply = await api.get("/emails")
  batch.mockRestore()
  expect(reply.status).toBe(503)
  expect(reply.headers.get("retry-after")).toBe("2")
  expect(reply.body.error).toEqual({
    code: "unavailable",
    message: "The service is overloaded. Try again shortly.",
  })
})

it.each([
  "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
  "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: D1 DB reset because its code was updated.",
  "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
  "D1_ERROR: Currently processing a long-running export.",
  "Durable Object reset because its code was updated.",
  "The Durable Object's code has been updated, this version can no longer access storage: object has moved to a different machine.",
])("the platform's passing fault is a 503: %s", (message) => {
  const failed = new Error("Failed query", { cause: new Error(message) })
  expect(toApiError(failed)).toMatchObject({ code: "unavailable", headers: { "retry-after": "2" } })
})

it.each(["retryable", "overloaded"])("an error marked as %s is a 503", (mark) => {
  expect(toApiError(Object.assign(new Error("?"), { [mark]: true })).code).toBe("unavailable")
})

it("any other error of ours stays a plain 500", () => {
  const error = toApiError(new Error("emails.id is undefined"))
  expect(error).toBeInstanceOf(ApiError)
  expect(error.code).toBe("internal_error")
})

it("a deferred step that fails while a later one runs rejects once, at the end", async () => {
  const { work } = testWork()
  let isDone = false
  const acted = withDeferred(work, async ({ defer }) => {
    defer(Promise.reject(new Error("the first")))
    defer(
      scheduler.wait(50).then(() => {
        isDone = true
      }),
    )
  })
  await expect(acted).rejects.toThrow("the first")
  expect(isDone).toBe(true)
})
