import { and, eq, lte, sql } from "drizzle-orm"
import { namedBatch } from "../db/client.ts"
import { followed } from "../db/commit.ts"
import { jsonRows, membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import { enqueueDeliveries } from "../events/queue.ts"
import {
  DELIVERY_KEY,
  deliveries,
  EVENT_KEY,
  events,
  WEBHOOK_KEY,
  type WebhookRow,
  webhooks,
} from "../events/table.ts"
import { mapLimit } from "../lib/chunk.ts"
import { logError } from "../lib/log.ts"
import type { DeliveryRef } from "../queues/messages.ts"
import { type Attempted, attemptDelivery, type Shipment } from "./attempt.ts"
import { endProbe, goOn, holdWebhook, isSlow, SLOW_MS } from "./hold.ts"
import { type Result, recordResults } from "./record.ts"
import { isSilent, openTurn, SILENT_MS, type Turn, waitUntilStalled } from "./turn.ts"

/** How long nobody else may claim a delivery. */
export const LEASE_MS = 45_000

const DELIVERIES_A_CLAIM = 50

/**
 * Attempts these deliveries, each webhook apart from the others: a slow receiver delays only its own.
 * Attempts at silent receivers go on after this function returns.
 */
export async function dispatchDeliveries(work: Work, refs: readonly DeliveryRef[]): Promise<void> {
  const turn = openTurn(work)
  const byWebhook = Map.groupBy(refs, ({ webhookId }) => webhookId)
  const served = Promise.allSettled(
    [...byWebhook.values()].map((members) => dispatchToWebhook(work, turn, members)),
  ).then((outcomes) => {
    const failure = outcomes.find(({ status }) => status === "rejected")
    if (failure?.status === "rejected") throw failure.reason
  })
  await waitUntilStalled(work, served, turn.stalled)
}

/** Tries one delivery. Its time says how many of the others fit into the rest of the turn. */
async function dispatchToWebhook(work: Work, turn: Turn, refs: readonly DeliveryRef[]) {
  const [{ webhookId } = { webhookId: "" }] = refs
  if (isSilent(work, webhookId)) return enqueueLater(work, refs, SILENT_MS)
  let left = refs
  let size = 1
  while (left.length > 0 && (await turn.take())) {
    const startedAt = work.now()
    const part = left.slice(0, size)
    left = left.slice(size)
    try {
      if (!(await attemptPart(work, turn, part))) return
    } finally {
      turn.giveBack()
    }
    const pace = Math.max(1, (work.now() - startedAt) / part.length)
    size = Math.min(DELIVERIES_A_CLAIM, Math.max(1, Math.floor(turn.left() / pace)))
  }
  await enqueueLater(work, left, 0)
}

const enqueueLater = (work: Work, refs: readonly DeliveryRef[], waitMs: number) =>
  enqueueDeliveries(
    work,
    refs.map((ref) => ({ ...ref, notBefore: work.now() + waitMs })),
  )

/** Claims, attempts and records, in two round trips. False if the webhook is held or gone. */
async function attemptPart(work: Work, turn: Turn, refs: readonly DeliveryRef[]): Promise<boolean> {
  const { webhook, claims } = await claim(work, refs)
  if (!webhook || webhook.probeAt !== null) return false
  const [first] = claims
  if (!first) return true
  const ref = { teamId: webhook.teamId, webhookId: webhook.id }
  const results: Result[] = []
  let held: Promise<unknown> | undefined
  const hold = () => {
    // The record of the attempts holds the webhook again, so a failure here loses nothing.
    held ??= holdWebhook(work, ref, work.now() + LEASE_MS).catch(logError)
  }
  const hasSecond = claims.length > 1 && turn.tryTake()
  try {
    await mapLimit(claims, hasSecond ? 2 : 1, async (claimed) => {
      const { delivery } = claimed
      // A probe claims the rest once the lease is over.
      if (held) return
      if (results.length > 0 && turn.left() <= 0) {
        results.push({ delivery, ...release(work) })
        return
      }
      const timer = setTimeout(hold, SLOW_MS)
      const attempted = await turn.hear(webhook.id, attemptDelivery(work, claimed))
      clearTimeout(timer)
      if (isSlow(attempted)) hold()
      results.push({ delivery, ...attempted })
    })
  } finally {
    if (hasSecond) turn.giveBack()
  }
  await held
  await settle(work, first, results, held !== undefined)
  return held === undefined
}

/** Records the results of attempts at one webhook. Retries follow, or the probes of a held webhook. */
export async function settle(
  work: Work,
  { delivery, webhook }: Shipment,
  results: Result[],
  isHeld: boolean,
): Promise<void> {
  const ref = { teamId: delivery.teamId, webhookId: delivery.webhookId }
  const probe = followed(endProbe(work, ref, webhook.url, results), () => goOn(work, ref, results))
  await recordResults(work, results, isHeld ? [probe] : [])
}

/** The turn ended before the attempt: another consumer may claim the delivery. */
const release = (work: Work): Attempted => ({
  attempt: null,
  verdict: { state: "pending", notBefore: work.now() },
})

interface Claim {
  webhook: WebhookRow | undefined
  claims: Shipment[]
}

/**
 * Claims the deliveries that are due and under no lease. A held webhook's deliveries are not claimed,
 * and nothing is written.
 */
async function claim(work: Work, refs: readonly DeliveryRef[]): Promise<Claim> {
  const now = work.now()
  const lease = now + LEASE_MS
  const x = membersOf<DeliveryRef>()
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
