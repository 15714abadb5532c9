import { sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { deliveries, events, webhooks } from "../events/table.ts"
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
  const isProbed = sql`team_id = ${teamId} and id = ${webhookId} and enabled = 1 and probe_at <= ${now}`
  const [[delivery], [webhook], [event]] = await work.db.batch([
    work.db
      .update(deliveries)
      .set({ notBefore: lease })
      .where(
        sql`(team_id, webhook_id, id) in (
          select d.team_id, d.webhook_id, d.id from deliveries d
          where d.team_id = ${teamId} and d.webhook_id = ${webhookId} and ${isDue("d", now)}
          order by d.due_at limit 1
        ) and exists (select 1 from webhooks where ${isProbed})`,
      )
      .returning(),
    work.db.update(webhooks).set({ probeAt: lease }).where(isProbed).returning(),
    work.db
      .select()
      .from(events)
      .where(
        sql`(team_id, sequence) in (
          select d.team_id, d.sequence from webhooks w
          cross join deliveries d on d.webhook_id = w.id and d.due_at is not null
          where w.team_id = ${teamId} and w.id = ${webhookId} and w.probe_at = ${lease}
            and d.not_before = ${lease} limit 1
        )`,
      ),
  ])
  return delivery && webhook ? ({ delivery, webhook, event } satisfies Shipment) : undefined
}
