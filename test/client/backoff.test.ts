import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { waitBefore } from "../../src/client/backoff.ts"

const NOW = Date.parse("2026-11-20T09:30:00Z")

beforeEach(() => {
  vi.useFakeTimers({ now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe("the wait before a retry", () => {
  it.each([
    [0, 400, 600],
    [1, 800, 1_200],
    [2, 1_600, 2_400],
    [3, 3_200, 4_800],
    [4, 6_400, 8_000],
    [5, 8_000, 8_000],
    [2_000, 8_000, 8_000],
  ])("%i is from %i to %i ms", (retry, least, most) => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0)
    expect(waitBefore(retry)).toBeCloseTo(least)
    random.mockReturnValue(1 - Number.EPSILON)
    expect(waitBefore(retry)).toBeCloseTo(most)
  })

  it.each([
    ["0", 0],
    ["7", 7_000],
    [" 7 ", 7_000],
    ["60", 60_000],
    ["61", 60_000],
    ["99999999999999999999", 60_000],
    ["Fri, 20 Nov 2026 09:30:05 GMT", 5_000],
    ["Fri, 20 Nov 2026 09:29:55 GMT", 0],
    ["Fri, 20 Nov 2026 10:30:00 GMT", 60_000],
    ["Friday, 20-Nov-26 09:30:05 GMT", 5_000],
  ])("is what retry-after asks for: %j", (value, ms) => {
    expect(waitBefore(0, value)).toBe(ms)
  })

  it.each([[""], ["soon"], ["-5"], ["1.5"], ["1e3"], [null], [undefined]])(
    "is the usual one where retry-after is %j",
    (value) => {
      vi.spyOn(Math, "random").mockReturnValue(0.5)
      expect(waitBefore(1, value)).toBe(1_000)
    },
  )
})
