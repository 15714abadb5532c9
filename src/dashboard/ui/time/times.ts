import { LOCALE } from "./locale.ts"

const inNumbers = new Intl.RelativeTimeFormat(LOCALE, { style: "short" })
/** "now", "yesterday". */
const inWords = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto", style: "short" })
const exact = new Intl.DateTimeFormat(LOCALE, {
  dateStyle: "medium",
  timeStyle: "long",
})
const SECOND = 1_000
const DAY = 86_400 * SECOND
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["day", DAY],
  ["hour", 3_600 * SECOND],
  ["minute", 60 * SECOND],
  ["second", SECOND],
]

export function relativeTime(at: string, now = Date.now()): string {
  const past = Date.parse(at) - now
  const [unit, size] = UNITS.find(([, size]) => Math.abs(past) >= size) ?? ["second", SECOND]
  if (unit === "day") return inWords.format(dayOf(Date.parse(at)) - dayOf(now), unit)
  const words = (size > DAY ? inNumbers : inWords).format(Math.trunc(past / size), unit)
  // "5 min. ago" would end a sentence in the middle.
  return words.replaceAll(".", "")
}

export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** A time in the person's own zone: "2026-11-23T09:00". */
export function toLocal(time: string | number | Date): string {
  const date = new Date(time)
  const minutes = date.getTimezoneOffset()
  return new Date(date.getTime() - minutes * 60 * SECOND).toISOString().slice(0, 16)
}

/** The number of the day in the person's time zone, where a day may have 23 or 25 hours. */
const dayOf = (time: number) =>
  Math.floor((time - new Date(time).getTimezoneOffset() * 60 * SECOND) / DAY)

export const exactTime = (at: string) => exact.format(new Date(at))

/** "3 s" between two times: how long something took. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms >= size) ?? ["millisecond", 1]
  return new Intl.NumberFormat(LOCALE, {
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: ms < 10 * SECOND ? 1 : 0,
  }).format(ms / size)
}
