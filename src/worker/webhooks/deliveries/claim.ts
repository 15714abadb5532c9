import { and, eq, lte, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import {
  DELIVERY_KEY,
  d,
  deliveries,
  EVENT_KEY,
  events,
  isNotDropped,
  WEBHOOK_KEY,
  type WebhookRow,
  w,
  webhooks,
} from "../events/table.ts"
import type { DeliveryRef, WebhookRef } from "../messages.ts"
import type { ClaimedDelivery } from "./attempt.ts"
import { isDue } from "./hold.ts"

/** How long nobody else may claim a delivery. */
export const LEASE_MS = 45_000

interface Claim {
  webhook: WebhookRow | undefined
  claims: ClaimedDelivery[]
}

/**
 * Claims the deliveries that are due and under no lease. A held webhook's deliveries are not claimed,
 * and nothing is written.
 */
export async function claimListed(work: Work, refs: readonly DeliveryRef[]): Promise<Claim> {
  const now = work.now()
  const lease = now + LEASE_MS
  const x = jsonFields<DeliveryRef>()
  const asked = jsonRows(refs)
  const isAsked = sql`${DELIVERY_KEY} in (
    select ${x.teamId}, ${x.webhookId}, ${x.id} from ${asked})`
  const isTheirs = sql`${WEBHOOK_KEY} in (select ${x.teamId}, ${x.webhookId} from ${asked})`
  const claimed = await namedBatch(work.db, {
    deliveries: work.db
      .update(deliveries)
      .set({ notBefore: lease })
      .where(
        and(
          isAsked,
          eq(deliveries.state, "pending"),
          lte(deliveries.notBefore, now),
          sql`exists (select 1 from webhooks where ${isTheirs} and ${webhooks.probeAt} is null
            and ${webhooks.droppedAt} < ${deliveries.createdAt})`,
        ),
      )
      .returning(),
    events: work.db
      .select()
      .from(events)
      .where(
        sql`${EVENT_KEY} in (
          select ${deliveries.teamId}, ${deliveries.sequence} from deliveries
          where ${isAsked} and ${deliveries.notBefore} = ${lease})`,
      ),
    webhooks: work.db.select().from(webhooks).where(isTheirs),
  })
  const [webhook] = claimed.webhooks
  const eventOf = new Map(claimed.events.map((event) => [event.id, event]))
  const claims = webhook
    ? claimed.deliveries.map((delivery) => ({
        delivery,
        event: eventOf.get(delivery.eventId),
        webhook,
      }))
    : []
  return { webhook, claims }
}

/** Claims the oldest delivery, unless a probe is in flight or the webhook rests. */
export async function claimNext(work: Work, { teamId, webhookId }: WebhookRef) {
  const now = work.now()
  const lease = now + LEASE_MS
  const isProbed = sql`${webhooks.teamId} = ${teamId} and ${webhooks.id} = ${webhookId}
    and ${webhooks.enabled} = 1 and ${webhooks.probeAt} <= ${now}`
  const claimed = await namedBatch(work.db, {
    deliveries: work.db
      .update(deliveries)
      .set({ notBefore: lease })
      .where(
        sql`${DELIVERY_KEY} in (
          select ${d.teamId}, ${d.webhookId}, ${d.id} from webhooks w cross join deliveries d
          where ${w.teamId} = ${teamId} and ${w.id} = ${webhookId}
            and ${d.webhookId} = ${w.id} and ${isDue(now)} and ${isNotDropped}
          order by ${d.dueAt} limit 1
        ) and exists (select 1 from webhooks where ${isProbed})`,
      )
      .returning(),
    webhooks: work.db.update(webhooks).set({ probeAt: lease }).where(isProbed).returning(),
    events: work.db
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
  const [delivery] = claimed.deliveries
  const [webhook] = claimed.webhooks
  const [event] = claimed.events
  return delivery && webhook ? ({ delivery, webhook, event } satisfies ClaimedDelivery) : undefined
}
