import { getTableColumns, type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import {
  DELIVERY_KEY,
  d,
  deliveries,
  e,
  events,
  isNotDropped,
  s,
  WEBHOOK_KEY,
  w,
  webhooks,
} from "../events/table.ts"
import type { WebhookRef } from "../messages.ts"
import type { ClaimedDelivery, ClaimedWebhook } from "./attempt.ts"
import { isDue, LEASE_MS, mayBeDue, mayBeProbed } from "./due.ts"

interface Claim {
  /** Undefined while the webhook is held, and once it is gone. */
  webhook: ClaimedWebhook | undefined
  claims: ClaimedDelivery[]
  /** More deliveries are due, and under no lease. */
  hasMore: boolean
}

/**
 * Claims the oldest deliveries that are due and under no lease. A held webhook's deliveries are not
 * claimed, and nothing is written.
 */
export async function claimDue(work: Work, ref: WebhookRef, size: number): Promise<Claim> {
  const now = work.now()
  const isOpen = sql`${isWebhook(ref)} and ${w.probeAt} is null`
  const { claimed, webhook, more } = await namedBatch(work.db, {
    claimed: claim(work, isOpen, { now, size }),
    webhook: work.db
      .select({ ...getTableColumns(w), hasWaiting })
      .from(w)
      .where(isOpen),
    more: work.db.all(sql`select 1 ${dueOf(now, isOpen)} limit 1`),
  })
  return {
    webhook: webhook[0],
    claims: webhook[0] ? claimed.map((row) => toClaimed(row, webhook[0] as ClaimedWebhook)) : [],
    hasMore: more.length > 0,
  }
}

/** Claims the oldest delivery, unless a probe is in flight or the webhook rests. */
export async function claimProbe(
  work: Work,
  ref: WebhookRef,
): Promise<ClaimedDelivery | undefined> {
  const now = work.now()
  const isProbed = sql`${isWebhook(ref)} and ${w.enabled} = 1 and ${mayBeProbed(now)}`
  const { claimed, webhook } = await namedBatch(work.db, {
    claimed: claim(work, isProbed, { now, size: 1 }),
    webhook: work.db
      .update(webhooks)
      .set({ probeAt: now + LEASE_MS })
      .where(
        sql`${WEBHOOK_KEY} in (
          select ${w.teamId}, ${w.id} from webhooks w where ${isProbed} and exists (
            select 1 from deliveries d where ${d.webhookId} = ${w.id}
              and ${mayBeDue(now)} and ${d.notBefore} = ${now + LEASE_MS}))`,
      )
      .returning({ ...getTableColumns(webhooks), hasWaiting }),
  })
  return claimed[0] && webhook[0] && toClaimed(claimed[0], webhook[0])
}

/** Events of the selected or updated webhook wait for room. */
const hasWaiting = sql<number>`${sql`deliver_until < (
  select ${s.last} from event_sequences s where ${s.teamId} = team_id)`}`.as("has_waiting")

const isWebhook = ({ teamId, webhookId }: WebhookRef) =>
  sql`${w.teamId} = ${teamId} and ${w.id} = ${webhookId} and ${w.teamId} not in (${FENCED_TEAMS})`

/** The due deliveries `d` of a webhook `w`, oldest first. */
const dueOf = (now: number, isClaimable: SQL) => sql`
  from webhooks w cross join deliveries d
  where ${isClaimable} and ${d.webhookId} = ${w.id} and ${isDue(now)} and ${isNotDropped}
  order by ${d.dueAt}, ${d.teamId}, ${d.id}`

const claim = ({ db }: Work, isClaimable: SQL, { now, size }: { now: number; size: number }) =>
  db
    .update(deliveries)
    .set({ notBefore: now + LEASE_MS })
    .where(
      sql`${DELIVERY_KEY} in (
        select ${d.teamId}, ${d.webhookId}, ${d.id} ${dueOf(now, isClaimable)} limit ${size})`,
    )
    .returning({
      ...getTableColumns(deliveries),
      data: ofEvent(e.data).mapWith(events.data).as("data"),
      storedAt: ofEvent(e.createdAt).mapWith(events.createdAt).as("stored_at"),
    })

/** Drizzle would strip the tables' names from the columns of the outer SQL. */
const ofEvent = (column: SQL | typeof e.data | typeof e.createdAt) =>
  sql`${sql`(
  select ${column} from events e
  where ${e.teamId} = ${deliveries.teamId} and ${e.sequence} = ${deliveries.sequence})`}`

type Row = Awaited<ReturnType<typeof claim>>[number]

function toClaimed({ data, storedAt, ...delivery }: Row, webhook: ClaimedWebhook): ClaimedDelivery {
  const { eventId, eventType, sequence } = delivery
  const event = data && { id: eventId, type: eventType, sequence, data, createdAt: storedAt }
  return { delivery, event: event ?? undefined, webhook }
}
