import { readRetryAfter } from "../lib/retry-after.ts"

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 8_000
const MAX_RETRY_AFTER_MS = 60_000
const JITTER = 0.2

/**
 * The wait before retry `retry`, counted from 0: the reply's `retry-after`, at most a minute, or else
 * 500 ms doubled with every retry, 20 percent more or less, at most 8 seconds.
 */
export function waitBefore(retry: number, retryAfter?: string | null): number {
  const asked = readRetryAfter(retryAfter)
  if (asked !== null) return Math.min(asked, MAX_RETRY_AFTER_MS)
  const jitter = 1 + JITTER * (2 * Math.random() - 1)
  return Math.min(FIRST_WAIT_MS * 2 ** retry * jitter, MAX_WAIT_MS)
}

/** Rejects with the signal's reason as soon as the signal aborts. */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })
}
