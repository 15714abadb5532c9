import { newWebhookSecret, signedHeaders } from "../../src/lib/webhook-signature.ts"

export const SECRET = newWebhookSecret()

export const EVENT = {
  id: "evt_1",
  type: "email.bounced",
  createdAt: "2026-11-20T09:30:00.000Z",
  data: {
    email: { id: "em_1", to: ["grüße@example.com"] },
    event: { type: "bounced", occurredAt: "2026-11-20T09:30:00.000Z" },
  },
}

/** A delivery's headers, as the service makes them. */
export const headersOf = (body: string, secret = SECRET, now = Date.now()) =>
  signedHeaders([secret], { id: "evt_1", sequence: 1 }, body, now) as Record<string, string>

export function delivery(
  event: object = EVENT,
  { secret = SECRET, url = "https://receiver.test/hooks/edgepost", now = Date.now() } = {},
): Request {
  const body = JSON.stringify(event)
  return new Request(url, { method: "POST", headers: headersOf(body, secret, now), body })
}
