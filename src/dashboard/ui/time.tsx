import { useEffect, useState } from "react"
import { hint } from "./button.tsx"

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" })
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "long",
})
const SECOND = 1_000
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400 * SECOND],
  ["month", 30 * 86_400 * SECOND],
  ["day", 86_400 * SECOND],
  ["hour", 3_600 * SECOND],
  ["minute", 60 * SECOND],
  ["second", SECOND],
]

export function relativeTime(at: string, now = Date.now()): string {
  const past = Date.parse(at) - now
  const [unit, size] = UNITS.find(([, size]) => Math.abs(past) >= size) ?? ["second", SECOND]
  return relative.format(Math.trunc(past / size), unit)
}

export const exactTime = (at: string) => exact.format(new Date(at))

/** "3 s" between two times: how long something took. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms >= size) ?? ["millisecond", 1]
  return new Intl.NumberFormat(undefined, {
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: ms < 10 * SECOND ? 1 : 0,
  }).format(ms / size)
}

/** Relative on the surface; exact, with seconds and zone, on hover and focus. */
export function Time({ at }: { at: string | null | undefined }) {
  useTick()
  if (!at) return <span className="text-muted">–</span>
  return (
    <time dateTime={at} {...hint(exactTime(at))} className="whitespace-nowrap">
      {relativeTime(at)}
    </time>
  )
}

const listeners = new Set<() => void>()
setInterval(() => {
  for (const listener of listeners) listener()
}, 10 * SECOND)

/** One timer for all times on the page. */
function useTick() {
  const [, tick] = useState(0)
  useEffect(() => {
    const listener = () => tick((count) => count + 1)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [])
}
