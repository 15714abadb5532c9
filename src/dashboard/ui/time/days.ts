import { DAY_MS } from "../../../lib/time.ts"
import { LOCALE } from "./locale.ts"

/** "2026-11-23": a day of the calendar, without a time zone. */
export type Day = string

const text = (time: number): Day => new Date(time).toISOString().slice(0, 10)

export const shift = (day: Day, days: number): Day => text(Date.parse(day) + days * DAY_MS)

/** The same day of another month, or its last day: 31 January is followed by 28 February. */
export function monthLater(day: Day, months: number): Day {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return text(Date.UTC(year, month - 1 + months, Math.min(date, last)))
}

interface WeekInfo {
  firstDay: number
}

/** Sunday is 7, as in ISO 8601. */
function firstDayOfWeek(): number {
  const locale = new Intl.Locale(LOCALE) as Intl.Locale & {
    getWeekInfo?(): WeekInfo
    weekInfo?: WeekInfo
  }
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1
}

const FIRST = firstDayOfWeek() % 7
const SUNDAY = "2023-01-01"
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: "short", timeZone: "UTC" })

export const WEEKDAYS = Array.from({ length: 7 }, (_, index) =>
  weekday.format(new Date(shift(SUNDAY, FIRST + index))),
)

/** Six weeks that contain the month of a day. */
export function daysOfMonth(day: Day): Day[][] {
  const first = `${day.slice(0, 7)}-01`
  const before = (new Date(first).getUTCDay() - FIRST + 7) % 7
  const start = shift(first, -before)
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_, index) => shift(start, week * 7 + index)),
  )
}
