import { readRetryAfter } from "../../../lib/retry-after.ts"
import { DAY_MS, MINUTE_MS } from "../../../lib/time.ts"
import type { Answer } from "./attempt.ts"

/** The waits after the first five failures. The sixth failure is the last. */
export const RETRY_DELAYS_MS = [1, 5, 30, 120, 480].map((minutes) => minutes * MINUTE_MS)

/** The longest wait that a receiver may ask for. */
export const MAX_RETRY_AFTER_MS = DAY_MS

/** The result of an attempt: a retry at a time, or an end. */
export type Verdict =
  | { state: "pending"; notBefore: number }
  | { state: "succeeded" | "exhausted" | "failed" }

/**
 * Any 2xx is a success. Any other answer is followed by a retry, unless no retry can help or the
 * answer is the sixth failure.
 */
export function judge(answer: Answer, number: number, now: number): Verdict {
  const { statusCode = 0, retryAfter, isFinal } = answer
  if (statusCode >= 200 && statusCode < 300) return { state: "succeeded" }
  if (isFinal) return { state: "failed" }
  const delayMs = RETRY_DELAYS_MS[number - 1]
  if (delayMs === undefined) return { state: "exhausted" }
  const isAsked = statusCode === 429 || statusCode === 503
  const askedMs = isAsked ? (readRetryAfter(retryAfter, now) ?? 0) : 0
  const waitMs = Math.max(delayMs, Math.min(askedMs, MAX_RETRY_AFTER_MS))
  return { state: "pending", notBefore: now + waitMs }
}
