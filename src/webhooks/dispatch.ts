import { and, eq, lte, sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { mapLimit, openSlots } from "../lib/chunk.ts"
import { publishKept } from "../stream/publish.ts"
import { type Attempted, attemptDelivery, type Shipment, TIMED_OUT } from "./attempt.ts"
import { type DeliveryRef, enqueueDeliveries } from "./queue.ts"
import { recordResults } from "./record.ts"
import { deliveries, events, webhooks } from "./table.ts"

/** A Worker has six connections open at once: one is left for what has to be written down. */
const ATTEMPTS_AT_ONCE = 5
const ATTEMPTS_AT_ONCE_A_WEBHOOK = 2

/** No attempt starts later than this after the claim, and each ends well before the lease does. */
const START_WITHIN_MS = 20_000

/** How long nobody else may claim a delivery. */
export const LEASE_MS = 45_000

/** How long the rest of a claim waits after a receiver has let one attempt time out. */
export const REST_AFTER_TIMEOUT_MS = 60_000

type Slots = ReturnType<typeof openSlots>

/** Attempts these deliveries, each webhook's apart from the others': a slow one delays only itself. */
export async function dispatchDeliveries(work: Work, refs: readonly DeliveryRef[]): Promise<void> {
  const slots = openSlots(ATTEMPTS_AT_ONCE)
  const byWebhook = Map.groupBy(refs, ({ webhookId }) => webhookId)
  const outcomes = await Promise.allSettled(
    [...byWebhook.values()].map((members) => dispatchToWebhook(work, slots, members)),
  )
  const failure = outcomes.find(({ status }) => status === "rejected")
  if (failure?.status === "rejected") throw failure.reason
}

/** Claims deliveries of one webhook, makes an attempt at each, and records how it went: two round trips. */
async function dispatchToWebhook(work: Work, slots: Slots, refs: readonly DeliveryRef[]) {
  const deadline = work.now() + START_WITHIN_MS
  const claims = await claim(work, refs)
  if (claims.length === 0) return
  let hangs = false
  const results = await mapLimit(claims, ATTEMPTS_AT_ONCE_A_WEBHOOK, (claimed) =>
    slots(async () => {
      const { delivery } = claimed
      if (hangs) return { delivery, ...release(work, REST_AFTER_TIMEOUT_MS) }
      if (work.now() > deadline) return { delivery, ...release(work, 0) }
      const attempted = await attemptDelivery(work, claimed)
      hangs ||= attempted.attempt?.error === TIMED_OUT
      return { delivery, ...attempted }
    }),
  )
  await publishKept(work, await recordResults(work, results))
  await enqueueDeliveries(
    work,
    results.flatMap(({ delivery, verdict }) =>
      verdict.state === "pending" ? { ...delivery, ...verdict } : [],
    ),
  )
}

/** Its turn did not come: another consumer may have it after the wait. */
const release = (work: Work, waitMs: number): Attempted => ({
  attempt: null,
  verdict: { state: "pending", notBefore: work.now() + waitMs },
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
