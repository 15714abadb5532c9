import { createHash, randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { type Edgepost, EdgepostError, type EmailInput } from "../client/index.ts"
import { chunk } from "../lib/chunk.ts"
import { format, type ParsedMessage } from "./message.ts"
import { distribute, type Recipients } from "./recipients.ts"

/** Lower than the API's limit of a call. */
const MAX_CALL_BYTES = 20 * 1024 * 1024
const WAITS_MS = [300, 1500]

interface Envelope {
  from: string
  to: string[]
}

/** Sends a message to the recipients of its envelope. Answers the ids of the emails. */
export async function send(
  client: Edgepost,
  { content, visible, messageId, date }: ParsedMessage,
  { from, to }: Envelope,
): Promise<string[]> {
  const identity = messageId ?? identityOf(content, date)
  const inputs = distribute(visible, to).map(
    (recipients) =>
      ({
        ...content,
        ...toInput(recipients),
        idempotencyKey: keyOf(identity, from, recipients),
      }) as EmailInput,
  )
  const [only] = inputs
  if (only && inputs.length === 1) {
    const { id } = await persist(() => client.emails.send(only))
    return [id]
  }
  const ids: string[] = []
  const bytes = Buffer.byteLength(JSON.stringify(only))
  const perCall = Math.max(1, Math.floor(MAX_CALL_BYTES / bytes))
  for (const some of chunk(inputs, perCall)) {
    const { data } = await persist(() => client.emails.batch(some))
    ids.push(...data.map(({ id }) => id))
  }
  return ids
}

const toInput = ({ to, cc, bcc }: Recipients) => ({
  to: to.map(format),
  cc: cc.map(format),
  bcc: bcc.map(format),
})

/**
 * Identifies a message without Message-ID by its content, if it has a date: the client repeats a
 * message whose answer was lost. Without a date, the same content may be meant to arrive twice.
 */
const identityOf = (content: ParsedMessage["content"], date: string | null) =>
  date ? JSON.stringify([date, content]) : randomUUID()

/** The idempotency key: the same message to the same recipients is sent once. */
function keyOf(identity: string, from: string, { to, cc, bcc }: Recipients): string {
  const recipients = [...to, ...cc, ...bcc].map(({ address }) => address).sort()
  const hash = createHash("sha256").update(JSON.stringify([identity, from, recipients]))
  return `smtp-${hash.digest("base64url")}`
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
