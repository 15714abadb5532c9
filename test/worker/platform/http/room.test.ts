import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { MIB } from "../../../../src/worker/platform/http/input/body.ts"
import { withMemoryBudget } from "../../../../src/worker/platform/http/input/memory-budget.ts"
import { request } from "../../../support/api.ts"
import { makeTeam } from "../../../support/team.ts"

// The clock stands still: on a slow machine, a call would hold its room for longer than three seconds.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] })
})
afterEach(() => {
  vi.useRealTimers()
})

const rest = () => scheduler.wait(60)

/** Work on a body that goes on until `end` is called. */
function start(bytes: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const state = { isRunning: false, end: resolve, done: Promise.resolve() }
  state.done = withMemoryBudget(bytes, async () => {
    state.isRunning = true
    await promise
  })
  return state
}

it("a large body waits until another one is done", async () => {
  const first = start(20 * MIB)
  const second = start(20 * MIB)
  await rest()
  expect([first.isRunning, second.isRunning]).toEqual([true, false])
  first.end()
  await rest()
  expect(second.isRunning).toBe(true)
  second.end()
  await second.done
})

it.each([
  ["/api/v1/emails", "with"],
  ["/resend/emails", "with"],
  ["/api/v1/emails", "without"],
  ["/resend/emails", "without"],
])("a large body of a call to %s waits, %s its length", async (path, length) => {
  const { api, domain } = await makeTeam()
  const from = `a@${domain}`
  const body = JSON.stringify({
    from,
    to: "b@example.com",
    subject: "S",
    html: "x".repeat(2 * MIB),
  })
  const headers = {
    authorization: `Bearer ${api.key}`,
    ...(length === "with" && { "content-length": String(body.length) }),
  }
  const call = async () => (await request("POST", path, body, headers)).status
  expect(await call()).toBeLessThan(300)
  const other = start(24 * MIB)
  let isAnswered = false
  const waiting = call().finally(() => {
    isAnswered = true
  })
  await scheduler.wait(1_000)
  expect(isAnswered).toBe(false)
  other.end()
  expect(await waiting).toBeLessThan(300)
})

it("small bodies, and large ones with room, do not wait", async () => {
  const works = [start(14 * MIB), start(8 * MIB), start(MIB), start(0)]
  await rest()
  expect(works.map(({ isRunning }) => isRunning)).toEqual([true, true, true, true])
  for (const { end } of works) end()
  await Promise.all(works.map(({ done }) => done))
})

it("a body that fails leaves its room", async () => {
  await expect(withMemoryBudget(20 * MIB, () => Promise.reject(new Error("no")))).rejects.toThrow(
    "no",
  )
  const next = start(20 * MIB)
  await rest()
  expect(next.isRunning).toBe(true)
  next.end()
  await next.done
})

it("a call that never ends holds up others for three seconds", async () => {
  const endless = start(20 * MIB)
  const next = start(20 * MIB)
  vi.setSystemTime(Date.now() + 2_500)
  await rest()
  expect(next.isRunning).toBe(false)
  vi.setSystemTime(Date.now() + 1_000)
  await rest()
  expect(next.isRunning).toBe(true)
  for (const { end } of [endless, next]) end()
  await Promise.all([endless.done, next.done])
})
