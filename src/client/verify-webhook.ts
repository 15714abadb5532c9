import { EdgepostError } from "./error.ts"
import type { WebhookEvent } from "./types.ts"

export interface VerifyOptions {
  /** How many seconds the signature's time may differ from the clock. Default: 300. */
  toleranceSeconds?: number
  /** The current time, in milliseconds since 1970. Default: the clock. */
  now?: number | Date | (() => number | Date)
}

/** A request of any framework: the headers, and the body before it is parsed. */
export interface RawRequest {
  headers: Headers | Record<string, string | string[] | undefined>
  body: string | Uint8Array | ArrayBuffer
}

/** The request has no valid signature, the signature is too old, or the secret is empty. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
}

/**
 * Checks the signature of a webhook's request and answers its event.
 *
 * @param request A Web `Request`, or the headers and the raw body: a body that was parsed and
 * serialised again does not match.
 * @param secret The webhook's `whsec_…`, or a list of them while a secret is rotated.
 * @throws WebhookVerificationError if the signature is not valid or the secret is empty, and an
 * EdgepostError with the code `configuration` if the secret is undefined.
 */
export async function verifyWebhook(
  request: Request | RawRequest,
  secret: string | readonly string[] | undefined,
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (secret === undefined) throw missingSecret()
  const secrets = [secret].flat().filter(Boolean)
  if (secrets.length === 0) throw new WebhookVerificationError("The webhook's secret is empty.")
  const body = await readBytes(request)
  const signature = readSignature(readHeader(request.headers, "svc-signature"))
  if (!signature) throw new WebhookVerificationError("No valid svc-signature header.")
  const time = Number(typeof now === "function" ? now() : now)
  if (!(Math.abs(time / 1000 - signature.time) <= toleranceSeconds)) {
    throw new WebhookVerificationError("The signature's time is too far from the clock.")
  }
  const matches = await Promise.all(secrets.map((one) => signs(one, signature, body)))
  if (!matches.includes(true)) throw new WebhookVerificationError("The signature does not match.")
  return parse(body)
}

const missingSecret = () =>
  new EdgepostError({
    code: "configuration",
    message: "verifyWebhook needs the webhook's secret, whsec_….",
  })

async function readBytes(request: Request | RawRequest): Promise<Uint8Array> {
  if ("arrayBuffer" in request) return new Uint8Array(await request.arrayBuffer())
  const { body } = request
  if (typeof body === "string") return new TextEncoder().encode(body)
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new WebhookVerificationError("The raw body is needed: a string or bytes, not parsed JSON.")
}

function readHeader(headers: RawRequest["headers"], name: string): string | null {
  if (isHeaders(headers)) return headers.get(name)
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)
  return typeof entry?.[1] === "string" ? entry[1] : null
}

/** Not `instanceof`: the headers may come from another implementation. */
const isHeaders = (headers: RawRequest["headers"]): headers is Headers =>
  typeof headers.get === "function"

function parse(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new WebhookVerificationError("The body is not JSON.")
  }
}

/** `t=` with an integer, then one to eight `v1=` digests, and nothing else. */
const HEADER = /^t=(0|[1-9][0-9]{0,11})((?:,v1=[0-9a-f]{64}){1,8})$/

interface Signature {
  /** Seconds since 1970. */
  time: number
  /** There are several while a secret is rotated. One of them has to match. */
  digests: string[]
}

/** Reads the header `svc-signature`. Null if it has another form than the specification's. */
function readSignature(header: string | null): Signature | null {
  const [, time, fields] = HEADER.exec(header ?? "") ?? []
  if (time === undefined || fields === undefined) return null
  return { time: Number(time), digests: fields.split(",v1=").slice(1) }
}

/** Whether this secret made one of the digests, an HMAC-SHA256 over `<time>.<raw body>`. */
async function signs(
  secret: string,
  { time, digests }: Signature,
  body: Uint8Array,
): Promise<boolean> {
  if (!secret) return false
  const text = new TextEncoder()
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", text.encode(secret), algorithm, false, [
    "verify",
  ])
  const prefix = text.encode(`${time}.`)
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  // `verify` compares in constant time.
  const matches = await Promise.all(
    digests.map((hex) => crypto.subtle.verify("HMAC", key, fromHex(hex), signed)),
  )
  return matches.includes(true)
}

const fromHex = (hex: string) =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
