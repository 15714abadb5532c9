import type { Campaign } from "../../../client/types.ts"
import { DAY_MS } from "../../../lib/time.ts"
import { LOCALE } from "../../ui/time/locale.ts"
import { toLocal, ZONE } from "../../ui/time/times.ts"

/** Longer than sending tries an email by default (`SEND_GIVE_UP_HOURS`). */
const LAST_RETRY_MS = 4 * DAY_MS

/** The campaign's status as a badge. One that waits for a person says so. */
export function stateOf(campaign: Pick<Campaign, "status" | "pausedReason" | "sentAt" | "counts">) {
  const { status, pausedReason } = campaign
  if (pausedReason) return { state: "warning", label: status === "draft" ? "Not sent" : "Paused" }
  if (status !== "sent") return { state: status }
  return isHandedOver(campaign) ? { state: "ok", label: "Sent" } : { state: "sending" }
}

/** Cancelled emails are in no count, so a campaign older than any retry counts as handed over. */
export const isHandedOver = ({
  status,
  sentAt,
  counts,
}: Pick<Campaign, "status" | "sentAt" | "counts">) =>
  status === "sent" &&
  (counts.sent + counts.failed >= counts.recipients ||
    Date.parse(sentAt ?? "") < Date.now() - LAST_RETRY_MS)

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

const two = (value: number) => String(value).padStart(2, "0")
