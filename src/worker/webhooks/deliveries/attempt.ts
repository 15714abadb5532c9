import { logError } from "../../../lib/log.ts"
import { unseal } from "../../../lib/seal.ts"
import { signedHeaders } from "../../../lib/webhook-signature.ts"
import { withSignal } from "../../../lib/within.ts"
import type { Work } from "../../platform/context.ts"
import { findTarget } from "../address-guard.ts"
import type { DeliveryRow, WebhookRow } from "../events/table.ts"
import { headersOf, type StoredEvent, toPayload } from "../payload.ts"
import type { Attempt } from "./contract.ts"
import { REST_MS } from "./due.ts"
import { judge, type Verdict } from "./retry.ts"

export const TIMEOUT_MS = 10_000
export const TIMED_OUT = "No answer within 10 seconds."
const EXCERPT_BYTES = 500

/** The webhook of a slower receiver rests, then gets one delivery at a time. */
export const SLOW_MS = 2_000

/** The status decides alone, so the wait for the body is short. */
const READ_WITHIN_MS = 1_000

export interface ClaimedWebhook extends WebhookRow {
  /** Events wait for room. */
  hasWaiting: number
}

type ClaimedEvent = StoredEvent & { sequence: number }

/** A claimed delivery with its webhook, and its event unless that is purged. */
export interface ClaimedDelivery {
  delivery: DeliveryRow
  event: ClaimedEvent | undefined
  webhook: ClaimedWebhook
}

export interface Attempted {
  /** Null when none was made. */
  attempt: Attempt | null
  verdict: Verdict
  /** From the request to the status or its failure: the receiver's own time. Null without a request. */
  callMs?: number | null
  /** A fault of the service kept the request from leaving. It says nothing about the receiver. */
  neverLeft?: boolean
}

/** An attempt starts only while its lease lasts longer than this. So it ends before another can start. */
const LEASE_LEFT_MS = 15_000

/**
 * One attempt. None is made if the lease ends soon. It never throws: every failure is a result. `onSlow`
 * runs once the receiver is slow.
 */
export async function attemptDelivery(
  work: Work,
  claimed: ClaimedDelivery,
  onSlow = () => {},
): Promise<Attempted> {
  if (work.now() > claimed.delivery.notBefore - LEASE_LEFT_MS) return release(work)
  const number = claimed.delivery.attempts.length + 1
  const startedAt = work.now()
  const answer = await tryOnce(work, claimed, startedAt, onSlow)
  const endedAt = work.now()
  if (answer.neverLeft) {
    const verdict = { state: "pending", notBefore: endedAt + REST_MS } as const
    return { attempt: null, verdict, neverLeft: true }
  }
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
    callMs: answer.callMs ?? null,
  }
}

/** No attempt was made: another consumer may claim the delivery. */
export const release = (work: Work): Attempted => ({
  attempt: null,
  verdict: { state: "pending", notBefore: work.now() },
})

export interface Answer {
  statusCode?: number
  callMs?: number
  excerpt?: string | null
  retryAfter?: string | null
  error?: string
  /** No retry can help. */
  isFinal?: boolean
  neverLeft?: boolean
}

async function tryOnce(
  work: Work,
  { webhook, event }: ClaimedDelivery,
  startedAt: number,
  onSlow: () => void,
): Promise<Answer> {
  if (!event) return { isFinal: true, error: "The event is no longer kept." }
  const target = await findTarget(work.settings, webhook.url)
  if (target.kind === "unresolved") return { neverLeft: true, error: target.reason }
  if (target.kind === "unknown") return { error: target.reason }
  if (target.kind === "private") {
    return { isFinal: true, error: "The URL does not lead to a public address." }
  }
  const request = prepare(work, webhook, event, startedAt)
  return request
    ? post(work, webhook.url, request, onSlow)
    : { neverLeft: true, error: "The service could not make the request." }
}

/** The request has the time of the attempt's record, so the record says what was sent. */
function prepare(
  work: Work,
  webhook: WebhookRow,
  event: ClaimedEvent,
  startedAt: number,
): RequestInit | null {
  try {
    const secrets = signingSecrets(work, webhook).map((sealed) => unsealOnce(work, webhook, sealed))
    const body = toPayload(event, webhook.format, work.settings)
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

async function post(
  { now }: Work,
  url: string,
  request: RequestInit,
  onSlow: () => void,
): Promise<Answer> {
  const startedAt = now()
  const timer = setTimeout(onSlow, SLOW_MS)
  try {
    const response = await withSignal(TIMEOUT_MS, (signal) =>
      fetch(url, { ...request, redirect: "manual", signal }),
    )
    const callMs = now() - startedAt
    clearTimeout(timer)
    return {
      statusCode: response.status,
      callMs,
      excerpt: await readExcerpt(response),
      retryAfter: response.headers.get("retry-after"),
    }
  } catch (error) {
    const { name, message } = error as Error
    const callMs = now() - startedAt
    return { callMs, error: name === "TimeoutError" ? TIMED_OUT : `No answer: ${message}` }
  } finally {
    clearTimeout(timer)
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
