import type { WebhookEvent } from "./types.ts"
import { readSignature, signs } from "./verify.ts"

export interface VerifyOptions {
  /** How far the signature's time may be from the clock, in seconds. Default 300. */
  toleranceSeconds?: number
  /** Milliseconds since 1970 in place of the clock's time. */
  now?: number | Date | (() => number | Date)
}

/** A request as a framework hands it over: the body as it arrived, not parsed. */
export interface RawRequest {
  headers: Headers | Record<string, string | string[] | undefined>
  body: string | Uint8Array | ArrayBuffer
}

/** Why a request is not believed: it is not ours, it was changed, or it is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
}

/**
 * The event of a webhook's request, once its signature is checked.
 *
 * @param request A Web `Request`, or the headers and the raw body: a body that was parsed and
 * serialised again does not match.
 * @param secret The webhook's `whsec_…`, or a list of them while a secret is rotated.
 * @throws WebhookVerificationError when the request is not believed.
 */
export async function verifyWebhook(
  request: Request | RawRequest,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = await readBytes(request)
  const signature = readSignature(readHeader(request.headers, "svc-signature"))
  if (!signature) throw new WebhookVerificationError("No valid svc-signature header.")
  const time = Number(typeof now === "function" ? now() : now)
  if (!(Math.abs(time / 1000 - signature.time) <= toleranceSeconds)) {
    throw new WebhookVerificationError("The signature's time is too far from the clock.")
  }
  const matches = await Promise.all([secret].flat().map((one) => signs(one, signature, body)))
  if (!matches.includes(true)) throw new WebhookVerificationError("The signature does not match.")
  return parse(body)
}

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

/** Also those of another implementation than the global one. */
const isHeaders = (headers: RawRequest["headers"]): headers is Headers =>
  typeof headers.get === "function"

function parse(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new WebhookVerificationError("The body is not JSON.")
  }
}
