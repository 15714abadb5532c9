import type { Campaign } from "../../../client/types.ts"
import { LOCALE } from "../../ui/locale.ts"

/** The campaign's status as a badge. One that waits for a person says so. */
export function stateOf({ status, pausedReason }: Campaign) {
  if (status === "sending" && pausedReason) return { state: "warning", label: "Paused" }
  if (status === "draft" && pausedReason) return { state: "warning", label: "Not sent" }
  return status === "sent" ? { state: "ok", label: "Sent" } : { state: status }
}

export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

const exact = new Intl.DateTimeFormat(LOCALE, {
  dateStyle: "full",
  timeStyle: "short",
})

/** "Monday, 23 November 2026 at 09:00 (Europe/Berlin)". */
export const inZone = (at: string | Date) => `${exact.format(new Date(at))} (${ZONE})`

/** A local time of the browser's zone, with its offset. */
export function withOffset(local: string): string | null {
  const date = new Date(local)
  if (local === "" || Number.isNaN(date.getTime())) return null
  const minutes = -date.getTimezoneOffset()
  const sign = minutes < 0 ? "-" : "+"
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map(two)
  return `${toLocal(date)}:00${sign}${hours}:${rest}`
}

export const toLocal = (date: Date) =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`

const two = (value: number) => String(value).padStart(2, "0")
