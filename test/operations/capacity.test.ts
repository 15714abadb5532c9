import { describe, expect, it } from "vitest"
import { DAY_MS } from "../../src/lib/time.ts"
import { emailsADay, fullOn } from "../../src/operations/capacity.ts"

const now = Date.parse("2026-11-22T10:00:00Z")
const dayOf = (ago: number) => new Date(now - ago * DAY_MS).toISOString().slice(0, 10)
const sentOn = (days: number, sent: number) =>
  new Map(Array.from({ length: days }, (_, ago) => [dayOf(ago), sent]))

describe("how long a database lasts", () => {
  it("counts the emails of the last seven whole days, not those of today", () => {
    const sentByDay = new Map([
      [dayOf(0), 1_000_000],
      [dayOf(1), 700],
      [dayOf(7), 700],
      [dayOf(8), 1_000_000],
    ])
    expect(emailsADay({ sentByDay, now })).toBe(200)
  })

  it("ends on the day on which what comes does not fit any more", () => {
    const use = { sentByDay: sentOn(8, 1_000_000), bytes: 0, retentionDays: 90, now }
    // 1.21 GB a day: the ninth day passes 10 GB.
    expect(fullOn(use)).toBe(dayOf(-9))
    expect(fullOn({ ...use, bytes: 10_000_000_000 })).toBe(dayOf(0))
  })

  it("never ends where as many emails are deleted as come", () => {
    const use = { sentByDay: sentOn(91, 1_000_000), bytes: 9_900_000_000, retentionDays: 90, now }
    expect(fullOn(use)).toBeNull()
    expect(fullOn({ ...use, sentByDay: sentOn(80, 1_000_000) })).toBe(dayOf(-1))
  })

  it("never ends where the retention comes first", () => {
    const use = { sentByDay: sentOn(8, 99_000), bytes: 0, retentionDays: 90, now }
    expect(fullOn(use)).toBeNull()
    expect(fullOn({ ...use, sentByDay: sentOn(8, 100_000) })).toBe(dayOf(-83))
  })
})
