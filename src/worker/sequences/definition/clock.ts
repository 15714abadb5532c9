import { DAY_MS, MINUTE_MS } from "../../../lib/time.ts"
import { type Moment, type SendWindow, WEEK } from "./steps-contract.ts"

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    })
  formats.set(zone, format)
  return format
}

const FALLBACK = "UTC"

/** The zone of a contact. What is no zone is UTC. */
function zoneOf(name: unknown): string {
  if (typeof name !== "string") return FALLBACK
  try {
    formatOf(name)
    return name
  } catch {
    return FALLBACK
  }
}

/** The zone of a window, or without one that of the contact. */
export const windowZone = (window: SendWindow | null, properties: Record<string, unknown>) =>
  zoneOf(window && window.zone !== "contact" ? window.zone : properties.timezone)

/** The time on the wall, as if it were UTC. */
function wallTime(at: number, zone: string): number {
  const part = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<"year" | "month" | "day" | "hour" | "minute" | "second", number>
  const { year, month, day, hour, minute, second } = part
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** When the wall shows this time. A time that is left out in spring is an hour later. */
function fromWall(wall: number, zone: string): number {
  const guess = wall - (wallTime(wall, zone) - wall)
  return guess - (wallTime(guess, zone) - wall)
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** From the day before, since a window may cross midnight, to the same day of the next week. */
const DAYS_LOOKED_AT = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8]

function* occurrences(days: Moment["days"], time: string, zone: string, now: number) {
  const today = Math.floor(wallTime(now, zone) / DAY_MS) * DAY_MS
  for (const ahead of DAYS_LOOKED_AT) {
    const day = today + ahead * DAY_MS
    const name = WEEK[new Date(day).getUTCDay()]
    if (days && !days.some((one) => one === name)) continue
    yield { day, at: fromWall(day + minutesOf(time) * MINUTE_MS, zone) }
  }
}

/** The next such time after `now`. */
export function nextMoment({ days, time }: Moment, zone: string, now: number): number {
  for (const { at } of occurrences(days, time, zone, now)) if (at > now) return at
  throw new Error("A week has no such time")
}

/** `now` inside of the window, else the next time when it opens. */
export function openingOf({ days, from, until }: SendWindow, zone: string, now: number): number {
  const isOverNight = minutesOf(until) <= minutesOf(from)
  for (const { day, at } of occurrences(days, from, zone, now)) {
    const closing = fromWall(day + (isOverNight ? DAY_MS : 0) + minutesOf(until) * MINUTE_MS, zone)
    if (at <= now && now < closing) return now
    if (at > now) return at
  }
  throw new Error("A week has no such window")
}
