/**
 * What D1, R2, Queues and Durable Objects say when they are overloaded, away or restarted.
 * Sources: developers.cloudflare.com/d1/observability/debug-d1 and
 * developers.cloudflare.com/durable-objects/observability/troubleshooting.
 */
const MESSAGES = [
  "overloaded",
  "too many requests",
  "network connection lost",
  "storage operation exceeded timeout",
  "D1 DB storage",
  "internal error; reference",
  "reset because its code was updated",
  "due to transient issue on remote node",
  "exceeded its memory limit and was reset",
  "exceeded its CPU time limit and was reset",
  "Currently processing a long-running export",
  "object has moved to a different machine",
  String.raw`\((10001|10043|10054|10058)\)`,
]
const PASSING = new RegExp(MESSAGES.join("|"), "i")

/** A fault of the platform that passes by itself: the same call may succeed a moment later. */
export const isPassingFault = (error: unknown): boolean =>
  error instanceof Error &&
  (PASSING.test(error.message) || isMarked(error) || isPassingFault(error.cause))

/** Durable Objects mark their errors. */
const isMarked = (error: Error & { retryable?: unknown; overloaded?: unknown }) =>
  error.retryable === true || error.overloaded === true
