import type { EmailRef } from "../emails/queue.ts"
import type { EmailEvent } from "../emails/record.ts"
import type { Env } from "../env.ts"

/** What the queues carry. The database knows all of it but outcomes: a message is only a hint. */
export type QueueMessage =
  | { kind: "sends" | "sends-bulk"; emails: EmailRef[] }
  | { kind: "outcomes"; events: EmailEvent[] }

export type QueueKind = QueueMessage["kind"]

/** Cloudflare Queues hold 128 KB a message, and back an acknowledged send with storage. */
export async function enqueue(env: Env, message: QueueMessage, delaySeconds = 0): Promise<void> {
  await queueOf(env, message.kind).send(message, { delaySeconds })
}

function queueOf(env: Env, kind: QueueKind): Queue {
  return { sends: env.SENDS, "sends-bulk": env.SENDS_BULK, outcomes: env.OUTCOMES }[kind]
}
