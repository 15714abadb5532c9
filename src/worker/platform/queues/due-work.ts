import { gt, lte, or, type SQL } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { HOUR_MS, MINUTE_MS } from "../../../lib/time.ts"

/**
 * The times of due work. A row says when its work is due, and a queue message makes it prompt. The
 * minute's sweep takes the work whose message has not come, and leaves it alone for a backoff.
 */

/** The sweep takes new work whose message has not come within this time. */
export const PICKED_UP_WITHIN_MS = 30_000

/** The sweep enqueues the work of the coming minute. */
export const SWEEP_LOOKS_AHEAD_MS = MINUTE_MS

/** Emails and campaigns due later than this get no message: the sweep finds them in time. */
export const ENQUEUED_AHEAD_MS = 2 * SWEEP_LOOKS_AHEAD_MS

/** The longest delay of Cloudflare Queues. The sweep finds deliveries due later. */
export const MAX_DELAY_MS = 12 * HOUR_MS

/** How long the sweep leaves a campaign alone that it has enqueued. */
export const CAMPAIGN_BACKOFF_MS = MINUTE_MS

/** A statement may run this long after its process has looked at the clock. */
export const RUNS_WITHIN_MS = 5 * MINUTE_MS

/**
 * A clock that was ahead once must not stop work for as long: a time further ahead than any rule
 * allows counts as now. The lease of a process that has looked at its clock later does not.
 */
export const isDueBy = (column: SQLiteColumn, now: number, allowedMs: number): SQL =>
  or(lte(column, now), gt(column, now + allowedMs + RUNS_WITHIN_MS)) as SQL
