import type { Work } from "../../platform/context.ts"
import { MAX_DELAY_MS } from "../../platform/queues/due-work.ts"
import { enqueueAll, messagesWhenDue } from "../../platform/queues/messages.ts"
import type { DeliveryRef, WebhookRef } from "../messages.ts"

const DELIVERIES = { size: 50, withinMs: MAX_DELAY_MS }
const PROBES = { size: 1, withinMs: MAX_DELAY_MS }

/** Each message is for one webhook, so a receiver that hangs does not delay the others. */
export async function enqueueDeliveries(
  work: Work,
  deliveries: readonly (DeliveryRef & { notBefore: number })[],
): Promise<void> {
  const byWebhook = Map.groupBy(deliveries, ({ webhookId }) => webhookId)
  await enqueueAll(
    work.env,
    [...byWebhook.values()].flatMap((members) =>
      messagesWhenDue(work, members, DELIVERIES, (part) => ({
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
  await enqueueAll(
    work.env,
    messagesWhenDue(work, webhooks, PROBES, (part) => ({
      kind: "probes",
      webhooks: part.map(({ teamId, webhookId }) => ({ teamId, webhookId })),
    })),
  )
}
