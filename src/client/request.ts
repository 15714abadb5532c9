import { readJson } from "../lib/json.ts"
import { VERSION } from "../lib/version.ts"
import { wait, waitBefore } from "./backoff.ts"
import type { Config } from "./config.ts"
import { EdgepostError, toError } from "./error.ts"

/** The last argument of every call. */
export interface CallOptions {
  /** Aborts the call and its waits. The call rejects with the signal's reason. */
  signal?: AbortSignal
  /** How many milliseconds one try may take. Default: the client's `timeoutMs`. */
  timeoutMs?: number
  /** How often a failed call is repeated. Default: the client's `maxRetries`. */
  maxRetries?: number
}

export interface SendOptions extends CallOptions {
  /** Makes the call safe to repeat: the same key with the same input sends once. */
  idempotencyKey?: string
}

export interface Call {
  method: "GET" | "POST" | "PATCH" | "DELETE"
  path: string
  query?: object
  /** A value for JSON, or a promise of one. */
  body?: unknown
  /** The body as it is, in place of JSON: a message of RFC 5322. */
  message?: Uint8Array<ArrayBuffer>
  /** The reply is bytes. */
  readsBytes?: boolean
  /** Whether the call may be repeated. Default: true, but false for a POST. */
  retry?: boolean
  idempotencyKey?: string | undefined
}

/** A reply and its parsed body. */
export interface Answer<T> {
  data: T
  response: Response
}

export async function request<T>(
  config: Config,
  call: Call,
  options: CallOptions,
): Promise<Answer<T>> {
  const [url, init] = toFetch(config, call, await call.body)
  const retry = call.retry ?? call.method !== "POST"
  const maxRetries = retry ? (options.maxRetries ?? config.maxRetries) : 0
  const timeoutMs = options.timeoutMs ?? config.timeoutMs
  for (let tried = 0; ; tried++) {
    options.signal?.throwIfAborted()
    const outcome = await tryOnce(config.fetch, url, init, timeoutMs, options.signal, call)
    if (outcome.ok) return { data: outcome.data as T, response: outcome.response }
    const { error, response } = outcome
    // An earlier try deleted the record, but its reply was lost.
    if (call.method === "DELETE" && tried > 0 && response?.status === 404) {
      return { data: undefined as T, response }
    }
    error.attempts = tried + 1
    if (!error.retryable || !(tried < maxRetries)) throw error
    await wait(waitBefore(tried, response?.headers.get("retry-after")), options.signal)
  }
}

type Try =
  | { ok: true; data: unknown; response: Response }
  | { ok: false; error: EdgepostError; response?: Response }

async function tryOnce(
  fetch: Config["fetch"],
  url: string,
  init: RequestInit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  { readsBytes }: Call,
): Promise<Try> {
  const limit = createTimeout(timeoutMs, signal)
  try {
    const response = await limit.hold(fetch(url, { ...init, signal: limit.signal }))
    if (readsBytes && response.ok)
      return { ok: true, data: new Uint8Array(await limit.hold(response.arrayBuffer())), response }
    return toTry(response, await limit.hold(response.text()))
  } catch (cause) {
    signal?.throwIfAborted()
    const { host } = new URL(url)
    const message = limit.signal.aborted
      ? `No answer from ${host} within ${timeoutMs} ms.`
      : `The connection to ${host} failed: ${causeOf(cause)}`
    return { ok: false, error: new EdgepostError({ code: "network_error", message, cause }) }
  } finally {
    limit.close()
  }
}

/** Node's fetch says "fetch failed", and why in its cause: a code such as `ECONNREFUSED`. */
function causeOf(error: unknown): string {
  const { message, code, cause } = error as Error & { code?: string }
  if (cause) return causeOf(cause)
  return [code, message].find((text) => typeof text === "string" && text !== "") ?? String(error)
}

/** The longest time of `setTimeout`: a longer one ends immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A signal that aborts with the caller's signal or after a time. `hold` rejects then, even if fetch does not. */
function createTimeout(timeoutMs: number, signal?: AbortSignal) {
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  const timer = setTimeout(() => controller.abort(), Math.min(timeoutMs, MAX_TIMER_MS))
  signal?.addEventListener("abort", stop, { once: true })
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason))
  })
  aborted.catch(() => {})
  return {
    signal: controller.signal,
    hold: <T>(work: Promise<T>) => Promise.race([work, aborted]),
    close() {
      clearTimeout(timer)
      signal?.removeEventListener("abort", stop)
    },
  }
}

function toFetch(
  { apiKey, apiUrl }: Config,
  { method, path, query, message, readsBytes, idempotencyKey }: Call,
  body: unknown,
): [string, RequestInit] {
  const headers = new Headers({
    authorization: `Bearer ${apiKey}`,
    accept: readsBytes
      ? "message/rfc822, application/octet-stream, application/json"
      : "application/json",
    "user-agent": `edgepost/${VERSION}`,
  })
  if (body !== undefined) headers.set("content-type", "application/json")
  if (message) headers.set("content-type", "message/rfc822")
  if (idempotencyKey) headers.set("idempotency-key", toUtf8(idempotencyKey))
  const content = message ? { body: message } : body === undefined ? {} : { body: toJson(body) }
  return [apiUrl + path + toQuery(query), { method, headers, redirect: "manual", ...content }]
}

/** JSON has null for an invalid date: an email with such a `scheduledAt` would be sent at once. */
function toJson(body: unknown): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, name, value) {
    const isInvalidDate = value === null && this[name] !== null
    if (!isInvalidDate) return value
    throw new EdgepostError({ code: "configuration", message: `${name} is an invalid date.` })
  })
}

/** A header is a string of bytes, one in each character. The API reads them as UTF-8. */
const toUtf8 = (text: string) => String.fromCharCode(...new TextEncoder().encode(text))

function toQuery(query: object = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== undefined && one !== null)
      .map((one) => [name, one instanceof Date ? one.toISOString() : String(one)]),
  )
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`
}

function toTry(response: Response, text: string): Try {
  const json = readJson(text)
  return response.ok && (json !== undefined || response.status === 204)
    ? { ok: true, data: json, response }
    : { ok: false, error: toError(response, json), response }
}
