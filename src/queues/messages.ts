import type { CampaignRef } from "../campaigns/view.ts"
import type { EmailEvent } from "../emails/record.ts"
import type { Env, Work } from "../env.ts"
import { chunk } from "../lib/chunk.ts"
import type { DeliveryRef } from "../webhooks/queue.ts"

/** What the queues carry. The database knows all of it but outcomes: a message is only a hint. */
export type QueueMessage =
  | { kind: "sends" | "sends-backlog"; teams: string[]; dueAt: number }
  | { kind: "sends-bulk"; dueAt: number }
  | { kind: "outcomes"; events: EmailEvent[] }
  | { kind: "deliveries"; deliveries: DeliveryRef[] }
  | { kind: "campaigns"; campaigns: CampaignRef[] }

type QueueKind = QueueMessage["kind"]

/** Cloudflare Queues take 256 KB at once; the largest messages here have about 10 KB. */
const MESSAGES_A_SEND = 20

/** Cloudflare Queues hold 128 KB a message, and back an acknowledged send with storage. */
export async function enqueue(env: Env, message: QueueMessage, delaySeconds = 0): Promise<void> {
  await queueOf(env, message.kind).send(message, { delaySeconds })
}

/** Messages of up to `size` items each, that arrive when their items are due. */
export async function enqueueWhenDue<T extends { notBefore: number }>(
  work: Work,
  items: readonly T[],
  size: number,
  toMessage: (part: T[]) => QueueMessage,
): Promise<void> {
  await enqueueAll(work.env, messagesWhenDue(work, items, size, toMessage))
}

export interface DelayedMessage {
  body: QueueMessage
  delaySeconds: number
}

export function messagesWhenDue<T extends { notBefore: number }>(
  work: Work,
  items: readonly T[],
  size: number,
  toMessage: (part: T[]) => QueueMessage,
): DelayedMessage[] {
  const now = work.now()
  const delays = Map.groupBy(items, ({ notBefore }) =>
    Math.max(0, Math.ceil((notBefore - now) / 1000)),
  )
  return [...delays].flatMap(([delaySeconds, members]) =>
    chunk(members, size).map((part) => ({ body: toMessage(part), delaySeconds })),
  )
}

/** Messages of one kind. */
export async function enqueueAll(env: Env, messages: readonly DelayedMessage[]): Promise<void> {
  for (const part of chunk(messages, MESSAGES_A_SEND)) {
    const [first] = part
    if (first) await queueOf(env, first.body.kind).sendBatch(part)
  }
}

function queueOf(env: Env, kind: QueueKind): Queue {
  return {
    sends: env.SENDS,
    "sends-backlog": env.SENDS_BACKLOG,
    "sends-bulk": env.SENDS_BULK,
    outcomes: env.OUTCOMES,
    deliveries: env.DELIVERIES,
    campaigns: env.CAMPAIGNS,
  }[kind]
}
