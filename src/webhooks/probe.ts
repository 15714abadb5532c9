import { sql } from "drizzle-orm"
import { namedBatch } from "../db/client.ts"
import type { Work } from "../env.ts"
import {
  DELIVERY_KEY,
  d,
  deliveries,
  EVENT_KEY,
  events,
  isAlive,
  w,
  webhooks,
} from "../events/table.ts"
import { mapLimit } from "../lib/chunk.ts"
import type { WebhookRef } from "../queues/messages.ts"
import { attemptDelivery, type Shipment } from "./attempt.ts"
import { LEASE_MS, settle } from "./dispatch.ts"
import { isDue } from "./hold.ts"
import { PATIENCE_MS, waitUntilStalled } from "./turn.ts"

const PROBES_AT_ONCE = 5

/** Tries one delivery of each held webhook. A receiver that hangs does not delay the other probes. */
export async function probeWebhooks(work: Work, refs: readonly WebhookRef[]): Promise<void> {
  const probes = mapLimit(refs, PROBES_AT_ONCE, (ref) => probe(work, ref))
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  await waitUntilStalled(work, probes, patience)
}

async function probe(work: Work, ref: WebhookRef): Promise<void> {
  const claimed = await claimNext(work, ref)
  if (!claimed) return
  const attempted = await attemptDelivery(work, claimed)
  await settle(work, claimed, [{ delivery: claimed.delivery, ...attempted }], true)
}

/** Claims the oldest delivery, unless a probe is in flight or the webhook rests. */
async function claimNext(work: Work, { teamId, webhookId }: WebhookRef) {
  const now = work.now()
  const lease = now + LEASE_MS
  const isProbed = sql`${webhooks.teamId} = ${teamId} and ${webhooks.id} = ${webhookId}
    and ${webhooks.enabled} = 1 and ${webhooks.probeAt} <= ${now}`
  const { claimed, probed, found } = await namedBatch(work.db, {
    claimed: work.db
      .update(deliveries)
      .set({ notBefore: lease })
      .where(
        sql`${DELIVERY_KEY} in (
          select ${d.teamId}, ${d.webhookId}, ${d.id} from webhooks w cross join deliveries d
          where ${w.teamId} = ${teamId} and ${w.id} = ${webhookId}
            and ${d.webhookId} = ${w.id} and ${isDue(now)} and ${isAlive}
          order by ${d.dueAt} limit 1
        ) and exists (select 1 from webhooks where ${isProbed})`,
      )
      .returning(),
    probed: work.db.update(webhooks).set({ probeAt: lease }).where(isProbed).returning(),
    found: work.db
      .select()
      .from(events)
      .where(
        sql`${EVENT_KEY} in (
          select ${d.teamId}, ${d.sequence} from webhooks w
          cross join deliveries d on ${d.webhookId} = ${w.id} and ${d.dueAt} is not null
          where ${w.teamId} = ${teamId} and ${w.id} = ${webhookId} and ${w.probeAt} = ${lease}
            and ${d.notBefore} = ${lease} limit 1
        )`,
      ),
  })
  const [[delivery], [webhook], [event]] = [claimed, probed, found]
  return delivery && webhook ? ({ delivery, webhook, event } satisfies Shipment) : undefined
}
