import type { CampaignRef } from "../campaigns/view.ts"
import type { EmailRef } from "../emails/queue.ts"
import type { EmailEvent } from "../emails/record.ts"
import type { Env, Work } from "../env.ts"
import { chunk } from "../lib/chunk.ts"
import type { DeliveryRef } from "../webhooks/queue.ts"

/** What the queues carry. The database knows all of it but outcomes: a message is only a hint. */
export type QueueMessage =
  | { kind: "sends" | "sends-bulk"; emails: EmailRef[] }
  | { kind: "outcomes"; events: EmailEvent[] }
  | { kind: "deliveries"; deliveries: DeliveryRef[] }
  | { kind: "campaigns"; campaigns: CampaignRef[] }

export type QueueKind = QueueMessage["kind"]

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
  const now = work.now()
  const delays = Map.groupBy(items, ({ notBefore }) =>
    Math.max(0, Math.ceil((notBefore - now) / 1000)),
  )
  for (const [delaySeconds, members] of delays) {
    for (const part of chunk(members, size)) await enqueue(work.env, toMessage(part), delaySeconds)
  }
}

function queueOf(env: Env, kind: QueueKind): Queue {
  return {
    sends: env.SENDS,
    "sends-bulk": env.SENDS_BULK,
    outcomes: env.OUTCOMES,
    deliveries: env.DELIVERIES,
    campaigns: env.CAMPAIGNS,
  }[kind]
}
