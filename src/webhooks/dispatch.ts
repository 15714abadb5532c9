import { and, eq, lte, sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { mapLimit } from "../lib/chunk.ts"
import { publishChanges } from "../stream/publish.ts"
import { type Attempted, attemptDelivery, type Shipment } from "./attempt.ts"
import { type DeliveryRef, enqueueDeliveries } from "./queue.ts"
import { recordResults } from "./record.ts"
import { deliveries, events, webhooks } from "./table.ts"

/** A Worker has six connections open at once. */
const ATTEMPTS_AT_ONCE = 6

/** No attempt starts later than this after the claim, and each ends well before the lease does. */
const START_WITHIN_MS = 20_000

/** How long nobody else may claim a delivery. */
export const LEASE_MS = 45_000

/** Claims these deliveries, makes an attempt at each, and records how it went: two round trips. */
export async function dispatchDeliveries(work: Work, refs: readonly DeliveryRef[]): Promise<void> {
  const deadline = work.now() + START_WITHIN_MS
  const claims = await claim(work, refs)
  if (claims.length === 0) return
  const results = await mapLimit(claims, ATTEMPTS_AT_ONCE, async (claimed) => ({
    delivery: claimed.delivery,
    ...(work.now() > deadline ? release(work) : await attemptDelivery(work, claimed)),
  }))
  await recordResults(work, results)
  await enqueueDeliveries(
    work,
    results.flatMap(({ delivery, verdict }) =>
      verdict.state === "pending" ? { ...delivery, ...verdict } : [],
    ),
  )
  await publishChanges(
    work,
    results
      .filter(({ attempt }) => attempt !== null)
      .map(({ delivery: { teamId, webhookId } }) => ({ teamId, type: "webhook", id: webhookId })),
  )
}

/** Time was over before its turn came: another consumer may have it at once. */
const release = (work: Work): Attempted => ({
  attempt: null,
  verdict: { state: "pending", notBefore: work.now() },
})

/** One consumer has a delivery: it waited its turn, and nobody else holds its lease. */
async function claim(work: Work, refs: readonly DeliveryRef[]): Promise<Shipment[]> {
  const now = work.now()
  const asked = sql`json_each(${JSON.stringify(refs)})`
  const isAsked = sql`(team_id, webhook_id, id) in (
    select value ->> 'teamId', value ->> 'webhookId', value ->> 'id' from ${asked})`
  const [claimed, theirEvents, theirWebhooks] = await work.db.batch([
    work.db
      .update(deliveries)
      .set({ notBefore: now + LEASE_MS })
      .where(and(isAsked, eq(deliveries.state, "pending"), lte(deliveries.notBefore, now)))
      .returning(),
    work.db
      .select()
      .from(events)
      .where(
        sql`(team_id, sequence) in (select team_id, sequence from deliveries where ${isAsked} and state = 'pending')`,
      ),
    work.db
      .select()
      .from(webhooks)
      .where(
        sql`(team_id, id) in (select value ->> 'teamId', value ->> 'webhookId' from ${asked})`,
      ),
  ])
  const eventOf = new Map(theirEvents.map((event) => [`${event.teamId} ${event.id}`, event]))
  const webhookOf = new Map(theirWebhooks.map((webhook) => [webhook.id, webhook]))
  return claimed.map((delivery) => ({
    delivery,
    event: eventOf.get(`${delivery.teamId} ${delivery.eventId}`),
    webhook: webhookOf.get(delivery.webhookId),
  }))
}
