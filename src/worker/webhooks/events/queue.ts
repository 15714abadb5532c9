import type { Work } from "../../platform/context.ts"
import { MAX_DELAY_MS } from "../../platform/queues/due-work.ts"
import { enqueueAll, messagesWhenDue } from "../../platform/queues/messages.ts"
import type { WebhookHint, WebhooksMessage } from "../messages.ts"

/** Each message is for one webhook, so a receiver that hangs does not delay the others. */
const HINTS = { size: 1, withinMs: MAX_DELAY_MS }

interface TimedHint extends WebhookHint {
  notBefore: number
}

/** Hints that a webhook has deliveries to attempt. */
export const enqueueHints = (work: Work, hints: readonly TimedHint[]): Promise<void> =>
  enqueue(work, "deliveries", hints)

/** Hints that a held webhook has a delivery to probe with. */
export const enqueueProbes = (work: Work, hints: readonly TimedHint[]): Promise<void> =>
  enqueue(work, "probes", hints)

const enqueue = (work: Work, kind: WebhooksMessage["kind"], hints: readonly TimedHint[]) =>
  enqueueAll(
    work.env,
    messagesWhenDue(work, hints, HINTS, (part) => ({
      kind,
      webhooks: part.map(({ teamId, webhookId, width }) => ({
        teamId,
        webhookId,
        ...(width && { width }),
      })),
    })),
  )
