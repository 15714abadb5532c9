import { getTableColumns, type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import {
  DELIVERY_KEY,
  deliveries,
  eventSequences,
  events,
  isNotDropped,
  WEBHOOK_KEY,
  webhooks,
} from "../events/table.ts"
import type { WebhookRef } from "../messages.ts"
import type { ClaimedDelivery, ClaimedWebhook } from "./attempt.ts"
import { hasRested, isDue, LEASE_MS, mayBeDue } from "./due.ts"

const CLAIMED_AT_ONCE = 25

export interface Claim {
  /** Its row before the claim. Undefined while it rests, and once it is gone. */
  webhook: ClaimedWebhook | undefined
  claims: ClaimedDelivery[]
  /** More deliveries are due, and under no lease. */
  hasMore: boolean
}

/**
 * Claims the oldest deliveries that are due and under no lease: one if the webhook has rested, and then it
 * rests for as long as the lease. Nothing is written for a webhook at rest.
 */
export async function claimDue(work: Work, { teamId, webhookId }: WebhookRef): Promise<Claim> {
  const now = work.now()
  const isIt = sql`${webhooks.teamId} = ${teamId} and ${webhooks.id} = ${webhookId}`
  const isReady = sql`${isIt} and ${webhooks.enabled} = 1
    and (${webhooks.restsUntil} is null or ${hasRested(now)})
    and ${webhooks.teamId} not in (${FENCED_TEAMS})`
  const due = sql`
    from webhooks cross join deliveries
    where ${isReady} and ${deliveries.webhookId} = ${webhooks.id} and ${isDue(now)} and ${isNotDropped}
    order by ${deliveries.dueAt}, ${deliveries.teamId}, ${deliveries.id}`
  const size = sql`iif((select ${webhooks.restsUntil} from webhooks
    where ${isIt}) is null, ${CLAIMED_AT_ONCE}, 1)`
  const { webhook, claimed, more } = await namedBatch(work.db, {
    webhook: work.db
      .select({ ...getTableColumns(webhooks), hasWaiting })
      .from(webhooks)
      .where(isReady),
    claimed: claim(
      work,
      sql`select ${deliveries.teamId}, ${deliveries.webhookId}, ${deliveries.id} ${due} limit +${size}`,
      now + LEASE_MS,
    ),
    more: work.db.all(sql`select 1 ${due} limit 1`),
    rests: work.db
      .update(webhooks)
      .set({ restsUntil: now + LEASE_MS })
      .where(
        sql`${WEBHOOK_KEY} in (
          select ${webhooks.teamId}, ${webhooks.id} from webhooks
          where ${isReady} and ${webhooks.restsUntil} is not null and exists (
            select 1 from deliveries where ${deliveries.webhookId} = ${webhooks.id}
              and ${mayBeDue(now)} and ${deliveries.notBefore} = ${now + LEASE_MS}))`,
      ),
  })
  const [row] = webhook
  return {
    webhook: row,
    claims: row ? claimed.map((one) => toClaimed(one, row)) : [],
    hasMore: more.length > 0,
  }
}

/**
 * Events of the webhook wait for room. Here and in `ofEvent`, SQL stands in SQL since drizzle strips the
 * tables' names from the columns of the outer one.
 */
const hasWaiting = sql<number>`${sql`${webhooks.deliverUntil} < (
  select ${eventSequences.last} from event_sequences
  where ${eventSequences.teamId} = ${webhooks.teamId})`}`.as("has_waiting")

const claim = ({ db }: Work, keys: SQL, notBefore: number) =>
  db
    .update(deliveries)
    .set({ notBefore })
    .where(sql`${DELIVERY_KEY} in (${keys})`)
    .returning({
      ...getTableColumns(deliveries),
      data: ofEvent(events.data).mapWith(events.data).as("data"),
      storedAt: ofEvent(events.createdAt).mapWith(events.createdAt).as("stored_at"),
    })

const ofEvent = (column: SQL | typeof events.data | typeof events.createdAt) =>
  sql`${sql`(
  select ${column} from events
  where ${events.teamId} = ${deliveries.teamId} and ${events.sequence} = ${deliveries.sequence})`}`

type Row = Awaited<ReturnType<typeof claim>>[number]

function toClaimed({ data, storedAt, ...delivery }: Row, webhook: ClaimedWebhook): ClaimedDelivery {
  const { eventId, eventType, sequence } = delivery
  const event = data && { id: eventId, type: eventType, sequence, data, createdAt: storedAt }
  return { delivery, event: event ?? undefined, webhook }
}
