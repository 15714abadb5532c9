import { SECOND_MS } from "./time.ts"

/** Seconds or an HTTP date (RFC 9110, section 10.2.3), in milliseconds from now. */
export function readRetryAfter(
  value: string | null | undefined,
  now: number = Date.now(),
): number | null {
  const text = value?.trim()
  if (!text) return null
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS
  // `Date.parse` accepts numbers, too.
  const time = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : Math.max(0, time - now)
}
