import { getTableColumns, type SQL, sql } from "drizzle-orm"
import { mapLimit } from "../../../lib/chunk.ts"
import { logError } from "../../../lib/log.ts"
import { endsWithin } from "../../../lib/within.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { enqueueHints } from "../events/queue.ts"
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
import { attemptDelivery, type ClaimedDelivery, type ClaimedWebhook, release } from "./attempt.ts"
import { hasRested, isDue, LEASE_MS, mayBeDue } from "./due.ts"
import { type Result, recordResults } from "./record.ts"
import { mustRest, rest } from "./rest.ts"

/** A Worker has six connections open at once: one is left for the database. */
const CONNECTIONS = 5

/** The queue's handler waits this long. Attempts at slower receivers go on behind it. */
const PATIENCE_MS = 250

/** Attempts what is due of these webhooks, each apart from the others. */
export async function dispatchDeliveries(work: Work, refs: readonly WebhookRef[]): Promise<void> {
  const webhooks = [...new Map(refs.map((ref) => [ref.webhookId, ref])).values()]
  const atOnce = Math.max(1, Math.floor(CONNECTIONS / webhooks.length))
  const outcomes = await Promise.allSettled(
    webhooks.map((ref) => dispatchToWebhook(work, ref, atOnce)),
  )
  const failure = outcomes.find(({ status }) => status === "rejected")
  if (failure?.status === "rejected") throw failure.reason
}

/** The handler does not wait for a receiver that was slow before. */
async function dispatchToWebhook(work: Work, ref: WebhookRef, atOnce: number): Promise<void> {
  const claim = await claimDue(work, ref)
  const { webhook, claims } = claim
  if (!webhook || claims.length === 0) return
  const attempts = attemptClaims(work, ref, { ...claim, webhook }, atOnce)
  const patienceMs = webhook.restsUntil === null ? PATIENCE_MS : 0
  if (!(await endsWithin(patienceMs, attempts))) work.defer(attempts)
}

/**
 * Once the receiver is slow, its webhook rests, and no other attempt starts. A quick answer starts the next
 * consumer with what else is due.
 */
async function attemptClaims(
  work: Work,
  ref: WebhookRef,
  { webhook, claims, hasMore }: Claim & { webhook: ClaimedWebhook },
  atOnce: number,
): Promise<void> {
  const results: Result[] = []
  const isOpen = webhook.restsUntil === null
  let needsNext = hasMore && isOpen
  let isSlow = false
  let resting: Promise<unknown> | undefined
  const onSlow = () => {
    isSlow = true
    // The record of the attempts sets the rest again, so a failure here loses nothing.
    if (isOpen) resting ??= rest(work, ref, work.now() + LEASE_MS).then(null, logError)
  }
  await mapLimit(claims, atOnce, async (claimed) => {
    const attempted = isSlow ? release(work) : await attemptDelivery(work, claimed, onSlow)
    results.push({ delivery: claimed.delivery, ...attempted })
    isSlow ||= mustRest(attempted)
    if (needsNext && !isSlow) {
      needsNext = false
      // The minute's work finds what a lost hint leaves. The record of these attempts must not be lost.
      await enqueueHints(work, [{ ...ref, notBefore: work.now() }]).catch(logError)
    }
  })
  await resting
  await recordResults(work, webhook, results, { rests: isSlow || !isOpen })
}

const CLAIMED_AT_ONCE = 25

interface Claim {
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
  const isIt = sql`${w.teamId} = ${teamId} and ${w.id} = ${webhookId}`
  const isReady = sql`${isIt} and ${w.enabled} = 1 and (${w.restsUntil} is null or ${hasRested(now)})
    and ${w.teamId} not in (${FENCED_TEAMS})`
  const due = sql`
    from webhooks w cross join deliveries d
    where ${isReady} and ${d.webhookId} = ${w.id} and ${isDue(now)} and ${isNotDropped}
    order by ${d.dueAt}, ${d.teamId}, ${d.id}`
  const size = sql`iif((select ${w.restsUntil} from webhooks w where ${isIt}) is null, ${CLAIMED_AT_ONCE}, 1)`
  const { webhook, claimed, more } = await namedBatch(work.db, {
    webhook: work.db
      .select({ ...getTableColumns(w), hasWaiting })
      .from(w)
      .where(isReady),
    claimed: claim(
      work,
      sql`select ${d.teamId}, ${d.webhookId}, ${d.id} ${due} limit ${size}`,
      now + LEASE_MS,
    ),
    more: work.db.all(sql`select 1 ${due} limit 1`),
    rests: work.db
      .update(webhooks)
      .set({ restsUntil: now + LEASE_MS })
      .where(
        sql`${WEBHOOK_KEY} in (
          select ${w.teamId}, ${w.id} from webhooks w
          where ${isReady} and ${w.restsUntil} is not null and exists (
            select 1 from deliveries d where ${d.webhookId} = ${w.id}
              and ${mayBeDue(now)} and ${d.notBefore} = ${now + LEASE_MS}))`,
      ),
  })
  const [row] = webhook
  return {
    webhook: row,
    claims: row ? claimed.map((one) => toClaimed(one, row)) : [],
    hasMore: more.length > 0,
  }
}

/** Events of the webhook wait for room. */
const hasWaiting = sql<number>`${sql`deliver_until < (
  select ${s.last} from event_sequences s where ${s.teamId} = team_id)`}`.as("has_waiting")

const claim = ({ db }: Work, keys: SQL, notBefore: number) =>
  db
    .update(deliveries)
    .set({ notBefore })
    .where(sql`${DELIVERY_KEY} in (${keys})`)
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
