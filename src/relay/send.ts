import { createHash, randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { type Edgepost, EdgepostError } from "../client/index.ts"
import { headerFields, headerValue, splitMessage } from "../lib/header-fields.ts"

const WAITS_MS = [300, 1500]
/** The API refuses a longer header. */
const MAX_HEADER_BYTES = 256 * 1024

interface Envelope {
  from: string
  to: string[]
}

/** Sends a message as it is to the recipients of its envelope. Answers the id of the email. */
export async function send(client: Edgepost, message: Buffer, envelope: Envelope): Promise<string> {
  const { to } = envelope
  const idempotencyKey = keyOf(message, envelope)
  const { id } = await persist(() => client.emails.sendRaw(message, { to }, { idempotencyKey }))
  return id
}

/** The same message to the same recipients is sent once. */
function keyOf(message: Buffer, { from, to }: Envelope): string {
  const hash = createHash("sha256").update(
    JSON.stringify([identityOf(message), from, to.toSorted()]),
  )
  return `smtp-${hash.digest("base64url")}`
}

/**
 * A message without Message-ID is known by its bytes, if it has a date: the client repeats a message
 * whose answer was lost. Without a date, the same bytes may be meant to arrive twice.
 */
function identityOf(message: Buffer): string {
  const { head } = splitMessage(message.subarray(0, MAX_HEADER_BYTES))
  const fields = headerFields(head.toString("latin1"))
  const read = (wanted: string) => {
    const field = fields.find(({ name }) => name === wanted)
    return field && headerValue(field)
  }
  const own = read("message-id")
  if (own) return own
  return read("date") ? createHash("sha256").update(message).digest("base64url") : randomUUID()
}

/** Repeats calls that may soon succeed. Over the rate limit, the SMTP client has to come back later. */
export async function persist<T>(call: () => Promise<T>): Promise<T> {
  for (const wait of WAITS_MS) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof EdgepostError && error.retryable) || error.status === 429) throw error
      await sleep(wait)
    }
  }
  return call()
}
