import { createHmac, randomBytes } from "node:crypto"

const PREFIX = "whsec_"
const SECRET_BYTES = 33

/** Base64 without `+` and `/` reads the same in every base64 alphabet. */
export function newWebhookSecret(): string {
  for (;;) {
    const value = randomBytes(SECRET_BYTES).toString("base64")
    if (!/[+/]/.test(value)) return PREFIX + value
  }
}

interface Numbered {
  id: string
  sequence: number
}

const seconds = (now: number) => String(Math.floor(now / 1000))

export const unsignedHeaders = (event: Numbered, now: number): Record<string, string> => ({
  "content-type": "application/json",
  "user-agent": "Svc-Webhooks/1",
  "svc-event-id": event.id,
  "svc-event-sequence": String(event.sequence),
  "webhook-id": event.id,
  "webhook-timestamp": seconds(now),
})

/** The headers of an attempt: our own, and those of Standard Webhooks. Each secret adds a signature. */
export function signedHeaders(
  secrets: readonly string[],
  event: Numbered,
  body: string,
  now: number,
): Record<string, string> {
  const time = seconds(now)
  const ours = secrets.map((secret) =>
    createHmac("sha256", secret).update(`${time}.${body}`).digest("hex"),
  )
  const standard = secrets.map((secret) =>
    createHmac("sha256", Buffer.from(secret.slice(PREFIX.length), "base64"))
      .update(`${event.id}.${time}.${body}`)
      .digest("base64"),
  )
  return {
    ...unsignedHeaders(event, now),
    "svc-signature": `t=${time}${ours.map((digest) => `,v1=${digest}`).join("")}`,
    "webhook-signature": standard.map((digest) => `v1,${digest}`).join(" "),
  }
}
