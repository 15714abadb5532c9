import type { Work } from "../../platform/context.ts"
import { MAX_DELAY_MS } from "../../platform/queues/due-work.ts"
import { enqueueAll, messagesWhenDue } from "../../platform/queues/messages.ts"
import type { WebhookRef, WebhooksMessage } from "../messages.ts"

/** Each message is for one webhook, so a receiver that hangs does not delay the others. */
const HINTS = { size: 1, withinMs: MAX_DELAY_MS }

/** Hints that webhooks have deliveries to attempt. */
export const enqueueHints = (
  work: Work,
  hints: readonly (WebhookRef & { notBefore: number })[],
): Promise<void> =>
  enqueueAll(
    work.env,
    messagesWhenDue(
      work,
      hints,
      HINTS,
      (part): WebhooksMessage => ({
        kind: "deliveries",
        webhooks: part.map(({ teamId, webhookId }) => ({ teamId, webhookId })),
      }),
    ),
  )
