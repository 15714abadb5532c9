import { expect, it } from "vitest"
import { relativeHour } from "../../src/dashboard/pages/templates/hour.tsx"
import { readTime } from "../../src/dashboard/ui/time/read-time.ts"
import { relativeTime } from "../../src/dashboard/ui/time/times.ts"

const NOW = Date.parse("2026-11-22T10:43:00Z")

it.each([
  ["2026-11-22T10:42:59Z", "1 sec ago"],
  ["2026-11-22T09:30:00Z", "1 hr ago"],
  ["2026-11-21T09:00:00Z", "yesterday"],
  ["2026-11-20T11:00:00Z", "2 days ago"],
  ["2026-11-24T10:42:00Z", "in 2 days"],
  ["2026-11-23T23:00:00Z", "tomorrow"],
  ["2026-10-10T10:00:00Z", "1 mo ago"],
  ["2025-01-01T10:00:00Z", "1 yr ago"],
])("says of %s: %s", (at, words) => {
  expect(relativeTime(at, NOW)).toBe(words)
})

it("calls the current hour this hour", () => {
  expect(relativeHour("2026-11-22T10:00:00Z", NOW)).toBe("this hour")
  expect(relativeHour("2026-11-22T09:00:00Z", NOW)).toBe("1 hr ago")
})

it.each([
  ["9:30", "09:30"],
  ["930", "09:30"],
  ["0930", "09:30"],
  ["143", "01:43"],
  ["17.05", "17:05"],
  ["17", "17:00"],
  ["5 pm", "17:00"],
  ["5:00 PM", "17:00"],
  ["12:15 a.m.", "00:15"],
  ["12 pm", "12:00"],
])("reads %s as %s", (text, time) => {
  expect(readTime(text)).toBe(time)
})

it.each(["", "24:00", "93", "9:60", "13 pm", "0 am", "noon"])("reads no time in “%s”", (text) => {
  expect(readTime(text)).toBeUndefined()
})
