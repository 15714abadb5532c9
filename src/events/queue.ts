import type { Work } from "../env.ts"
import type { DeliveryRef, WebhookRef } from "../queues/messages.ts"
import { enqueueAll, messagesWhenDue } from "../queues/messages.ts"

/** The longest delay of Cloudflare Queues. The sweep finds later deliveries. */
const MAX_DELAY_MS = 12 * 3_600_000

const DELIVERIES_A_MESSAGE = 50

/** Each message is for one webhook, so a receiver that hangs does not delay the others. */
export async function enqueueDeliveries(
  work: Work,
  deliveries: readonly (DeliveryRef & { notBefore: number })[],
): Promise<void> {
  const carried = deliveries.filter(({ notBefore }) => notBefore <= work.now() + MAX_DELAY_MS)
  const byWebhook = Map.groupBy(carried, ({ webhookId }) => webhookId)
  await enqueueAll(
    work.env,
    [...byWebhook.values()].flatMap((members) =>
      messagesWhenDue(work, members, DELIVERIES_A_MESSAGE, (part) => ({
        kind: "deliveries",
        deliveries: part.map(({ teamId, webhookId, id }) => ({ teamId, webhookId, id })),
      })),
    ),
  )
}

/** One message each: consumers of probes have few connections. */
export async function enqueueProbes(
  work: Work,
  webhooks: readonly (WebhookRef & { notBefore: number })[],
): Promise<void> {
  const carried = webhooks.filter(({ notBefore }) => notBefore <= work.now() + MAX_DELAY_MS)
  await enqueueAll(
    work.env,
    messagesWhenDue(work, carried, 1, (part) => ({
      kind: "probes",
      webhooks: part.map(({ teamId, webhookId }) => ({ teamId, webhookId })),
    })),
  )
}
