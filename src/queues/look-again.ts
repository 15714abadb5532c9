import { type SQL, sql } from "drizzle-orm"

/** How long a queue may take before the sweep looks after what its message carries. */
export const PICKED_UP_WITHIN_MS = 30_000

const AT_FIRST_MS = 60_000
const AT_MOST_MS = 10 * 60_000

/**
 * How long a sweep leaves a queue with what waits since then before it looks after it again: each
 * look makes one more message, and a backlog would grow by its own copies.
 */
export const lookAgainAfter = (now: number, since: SQL): SQL =>
  sql`min(${AT_MOST_MS}, max(${AT_FIRST_MS}, ${now} - ${since}))`
