import type { WebhookEvent } from "./types.ts"
import { type VerifyOptions, verifyWebhook, WebhookVerificationError } from "./verify-webhook.ts"

const MAX_BODY_BYTES = 1024 * 1024

/** A function for each type of event. The reply waits for its promise. */
export type WebhookEventHandlers = {
  [Type in WebhookEvent["type"]]?: (event: Extract<WebhookEvent, { type: Type }>) => unknown
}

export interface WebhookHandlerOptions extends VerifyOptions {
  /** The webhook's `whsec_…`, or a list of them while a secret is rotated. */
  secret: string | readonly string[] | undefined
  on: WebhookEventHandlers
  /** Called with the error that a handler throws. What it throws itself is logged. */
  onError?: (error: unknown, event: WebhookEvent) => unknown
}

/**
 * A route for the requests of a webhook. It answers 200 after the handler, also for an event without
 * a handler; 401 if the signature is not valid; 405 to another method than POST; 413 to more than
 * 1 MiB; and 500 if the handler throws, so that the event comes again. The same event may come more
 * than once, with the same `event.id`.
 *
 * @example
 * export const POST = createWebhookHandler({
 *   secret: process.env.WEBHOOK_SECRET,
 *   on: { "email.bounced": ({ data }) => console.log("Bounced:", data.email.to) },
 * })
 */
export function createWebhookHandler({
  secret,
  on,
  onError = () => {},
  ...options
}: WebhookHandlerOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== "POST") return reply(405, { allow: "POST" })
    const body = await readBody(request)
    if (!body) return reply(413)
    let event: WebhookEvent
    try {
      event = await verifyWebhook({ headers: request.headers, body }, secret, options)
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      return reply(401, {}, error.message)
    }
    try {
      const handler = Object.hasOwn(on, event.type) ? on[event.type] : undefined
      await (handler as ((event: WebhookEvent) => unknown) | undefined)?.(event)
      return reply(200)
    } catch (error) {
      try {
        await onError(error, event)
      } catch (failure) {
        console.error(failure)
        console.error(error)
      }
      return reply(500)
    }
  }
}

const reply = (status: number, headers: Record<string, string> = {}, text: string | null = null) =>
  new Response(text, { status, headers })

/** Null if the body is larger than any that the service sends. */
async function readBody(request: Request): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    size += piece.value.byteLength
    if (size > MAX_BODY_BYTES) {
      await reader?.cancel()
      return null
    }
    chunks.push(piece.value)
  }
  const body = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.byteLength
  }
  return body
}
