import { logError } from "../../../lib/log.ts"
import { unseal } from "../../../lib/seal.ts"
import type { Work } from "../../platform/context.ts"
import { findTarget } from "../address-guard.ts"
import type { DeliveryRow, EventRow, WebhookRow } from "../events/table.ts"
import { toPayload } from "../payload.ts"
import { headersOf, signedHeaders } from "../signature.ts"
import type { Attempt } from "./contract.ts"
import { judge, type Verdict } from "./retry.ts"

export const TIMEOUT_MS = 10_000
export const TIMED_OUT = "No answer within 10 seconds."
const EXCERPT_BYTES = 500

/** The status decides alone, so the wait for the body is short. */
const READ_WITHIN_MS = 1_000

/** A claimed delivery with its webhook, and its event unless that is purged. */
export interface ClaimedDelivery {
  delivery: DeliveryRow
  event: EventRow | undefined
  webhook: WebhookRow
}

export interface Attempted {
  /** Null when none was made. */
  attempt: Attempt | null
  verdict: Verdict
  /** It failed before the request, so it says nothing about the receiver. */
  isOurFault?: boolean
}

/** One attempt. It never throws: every failure is a result. */
export async function attemptDelivery(work: Work, shipment: ClaimedDelivery): Promise<Attempted> {
  const number = shipment.delivery.attempts.length + 1
  const startedAt = work.now()
  const answer = await tryOnce(work, shipment, startedAt)
  const endedAt = work.now()
  return {
    attempt: {
      number,
      startedAt,
      durationMs: endedAt - startedAt,
      statusCode: answer.statusCode ?? null,
      error: answer.error ?? null,
      responseExcerpt: answer.excerpt ?? null,
    },
    verdict: judge(answer, number, endedAt),
    isOurFault: answer.isOurFault ?? false,
  }
}

export interface Answer {
  statusCode?: number
  excerpt?: string | null
  retryAfter?: string | null
  error?: string
  /** No retry can help. */
  isFinal?: boolean
  isOurFault?: boolean
}

async function tryOnce(
  work: Work,
  { webhook, event }: ClaimedDelivery,
  startedAt: number,
): Promise<Answer> {
  if (!event) return { isFinal: true, error: "The event is no longer kept." }
  const target = await findTarget(work.settings, webhook.url)
  if (target.kind === "unknown") return { error: target.reason }
  if (target.kind === "private") {
    return { isFinal: true, error: "The URL does not lead to a public address." }
  }
  const request = prepare(work, webhook, event, startedAt)
  return request
    ? post(webhook.url, request)
    : { isOurFault: true, error: "The service could not make the request." }
}

/** The request has the time of the attempt's record, so the record says what was sent. */
function prepare(
  work: Work,
  webhook: WebhookRow,
  event: EventRow,
  startedAt: number,
): RequestInit | null {
  try {
    const secrets = signingSecrets(work, webhook).map((sealed) => unsealOnce(work, webhook, sealed))
    const body = toPayload(event, webhook.format)
    const headers = signedHeaders(secrets, event, body, startedAt)
    return { method: "POST", headers: headersOf(webhook.format, headers), body }
  } catch (error) {
    logError(error, { webhook: webhook.id })
    return null
  }
}

/** The newest first. The previous secret signs until `previousSecretUntil`. */
const signingSecrets = (work: Work, { secret, previousSecret, previousSecretUntil }: WebhookRow) =>
  previousSecret !== null && (previousSecretUntil ?? 0) > work.now()
    ? [secret, previousSecret]
    : [secret]

const unsealed = new WeakMap<WebhookRow, Map<string, string>>()

/** The deliveries of a claim share the row of their webhook. */
function unsealOnce({ settings }: Work, webhook: WebhookRow, sealed: string): string {
  const known = unsealed.get(webhook) ?? new Map<string, string>()
  unsealed.set(webhook, known)
  const secret = known.get(sealed) ?? unseal(settings, webhook.id, sealed)
  known.set(sealed, secret)
  return secret
}

async function post(url: string, request: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, {
      ...request,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return {
      statusCode: response.status,
      excerpt: await readExcerpt(response),
      retryAfter: response.headers.get("retry-after"),
    }
  } catch (error) {
    const { name, message } = error as Error
    return { error: name === "TimeoutError" ? TIMED_OUT : `No answer: ${message}` }
  }
}

/** A body may break off or never end. */
async function readExcerpt({ body }: Response): Promise<string | null> {
  const reader = body?.getReader()
  if (!reader) return null
  const stop = () => void reader.cancel().catch(() => {})
  const timer = setTimeout(stop, READ_WITHIN_MS)
  const text = await readStart(reader)
  clearTimeout(timer)
  stop()
  return text || null
}

async function readStart(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let left = EXCERPT_BYTES
  try {
    while (left > 0) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value.subarray(0, left), { stream: true })
      left -= value.byteLength
    }
  } catch {
    return text
  }
  return text
}
