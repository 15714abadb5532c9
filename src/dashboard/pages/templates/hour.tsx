import { HOUR_MS } from "../../../lib/time.ts"
import { hint } from "../../ui/button.tsx"
import { LOCALE } from "../../ui/time/locale.ts"
import { relativeTime } from "../../ui/time/times.ts"

const format = new Intl.DateTimeFormat(LOCALE, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  timeZoneName: "short",
})

/** An hour as a relative time. The hint says "Nov 28, 2026, 2:00 – 3:00 PM UTC". */
export function Hour({ at }: { at: string }) {
  const range = format.formatRange(new Date(at), new Date(Date.parse(at) + HOUR_MS))
  return (
    <time dateTime={at} {...hint(range)} className="whitespace-nowrap">
      {relativeHour(at)}
    </time>
  )
}

/** "this hour", "3 hr ago", "yesterday" */
export const relativeHour = (at: string, now = Date.now()) =>
  now - Date.parse(at) < HOUR_MS ? "this hour" : relativeTime(at, now)
