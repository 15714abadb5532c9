import { DAY_MS } from "../lib/time.ts"
import { MAX_DATABASE_BYTES } from "../worker/platform/db/size.ts"

/** Of D1 for a settled email with its content in a pack: docs/limits-and-costs.md has the parts. */
const EMAIL_BYTES = 1_210

/** The mean of these days counts as what comes. */
const MEAN_DAYS = 7

interface Use {
  bytes: number
  /** Emails of each UTC day, such as `2026-11-22`. */
  sentByDay: ReadonlyMap<string, number>
  retentionDays: number
  now: number
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Emails a day, of the last seven whole days. */
export function emailsADay({ sentByDay, now }: Pick<Use, "sentByDay" | "now">): number {
  let sum = 0
  for (let day = 1; day <= MEAN_DAYS; day++) sum += sentByDay.get(dayOf(now - day * DAY_MS)) ?? 0
  return Math.round(sum / MEAN_DAYS)
}

/**
 * The day on which a database is full if as many emails come each day as lately, and each is deleted
 * after the retention. Null if that day never comes: after the retention, as many go as come.
 */
export function fullOn(use: Use): string | null {
  const perDay = emailsADay(use)
  let { bytes } = use
  for (let day = 0; day <= use.retentionDays; day++) {
    if (bytes >= MAX_DATABASE_BYTES) return dayOf(use.now + day * DAY_MS)
    const leaving = use.sentByDay.get(dayOf(use.now + (day - use.retentionDays) * DAY_MS)) ?? 0
    bytes += (perDay - leaving) * EMAIL_BYTES
  }
  return null
}
