import type { EventPage } from "../../client/index.ts"
import { signedHeaders } from "../../lib/webhook-signature.ts"

const TIMEOUT_MS = 15_000

interface Outcome {
  /** Null if there was no reply. */
  status: number | null
  error: string | null
  durationMs: number
}

/** Signs an event and makes one attempt. */
export async function forward(
  url: string,
  secret: string,
  { sequence, ...event }: EventPage["data"][number],
): Promise<Outcome> {
  const body = JSON.stringify(event)
  const started = Date.now()
  const headers = signedHeaders([secret], { id: event.id, sequence }, body, started)
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal })
    await response.body?.cancel()
    return { status: response.status, error: null, durationMs: Date.now() - started }
  } catch (error) {
    const cause = (error as { cause?: { code?: unknown } }).cause?.code
    const reason = String(cause ?? (error as Error).message)
    return { status: null, error: reason, durationMs: Date.now() - started }
  }
}
