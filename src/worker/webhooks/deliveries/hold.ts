import { and, asc, eq, isNotNull, type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import { catchUp } from "../events/catch-up.ts"
import { enqueueHints, enqueueProbes } from "../events/queue.ts"
import { d, deliveries, w, webhooks } from "../events/table.ts"
import type { WebhookRef } from "../messages.ts"
import { type Attempted, SLOW_MS, TIMED_OUT } from "./attempt.ts"
import { isDue, mayBeProbed, REST_MS } from "./due.ts"

const WOKEN_AT_ONCE = 500
const PROBES_A_SWEEP = 1_000

export const isSlow = ({ attempt, callMs }: Attempted) =>
  (callMs ?? 0) >= SLOW_MS || attempt?.error === TIMED_OUT

/** The webhook is held after this attempt, so that its next deliveries are tried one at a time. */
export const mustHold = (attempted: Attempted) => isSlow(attempted) || attempted.neverLeft

/** A released delivery has no attempt; one that failed for good needs no rest. */
const mayProbeAgainAtOnce = ({ attempt, verdict, neverLeft }: Attempted) =>
  !neverLeft && (attempt === null || verdict.state === "succeeded" || verdict.state === "failed")

/** Holds a webhook. The attempt in flight is its probe. */
export async function holdWebhook(work: Work, ref: WebhookRef, until: number): Promise<void> {
  await work.db.update(webhooks).set({ probeAt: until }).where(isEnabled(ref))
}

/** A quick answer ends the hold of a webhook. Any other result sets the time of its next probe. */
export function recordProbe(
  work: Work,
  ref: WebhookRef,
  url: string,
  results: readonly Attempted[],
  condition: SQL,
): Query {
  const probeAt = isReceiverHealthy(results)
    ? null
    : work.now() + (results.every(mayProbeAgainAtOnce) ? 0 : REST_MS)
  return work.db
    .update(webhooks)
    .set({ probeAt })
    .where(and(isEnabled(ref), eq(webhooks.url, url), condition))
}

/** Every call has left and got an answer in time, whatever its status. */
function isReceiverHealthy(results: readonly Attempted[]): boolean {
  const calls = results.filter(({ callMs }) => typeof callMs === "number")
  const isQuick = (one: Attempted) => one.attempt?.statusCode != null && !isSlow(one)
  return calls.length > 0 && calls.every(isQuick) && !results.some(({ neverLeft }) => neverLeft)
}

const isEnabled = ({ teamId, webhookId }: WebhookRef) =>
  and(eq(webhooks.teamId, teamId), eq(webhooks.id, webhookId), eq(webhooks.enabled, true))

/** After the commit of `recordProbe`: hints at the waiting deliveries, or at the next probe. */
export async function afterProbe(
  work: Work,
  ref: WebhookRef,
  results: readonly Attempted[],
): Promise<void> {
  if (isReceiverHealthy(results)) {
    await enqueueWaiting(work, ref)
    await catchUp(work, [ref])
    return
  }
  const retries = results.flatMap(({ verdict }) =>
    verdict.state === "pending" ? verdict.notBefore : [],
  )
  const next = results.every(mayProbeAgainAtOnce) ? work.now() : Math.min(...retries)
  if (Number.isFinite(next)) await enqueueProbes(work, [{ ...ref, notBefore: next }])
}

/** The sweep takes the rest. */
async function enqueueWaiting(work: Work, ref: WebhookRef): Promise<void> {
  const waiting = await work.db
    .select({ notBefore: deliveries.notBefore })
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, ref.webhookId), isNotNull(deliveries.dueAt)))
    .orderBy(asc(deliveries.dueAt))
    .limit(WOKEN_AT_ONCE)
  await enqueueHints(work, hintsAt(work, ref, waiting))
}

/** One hint for all that is due at nearly the same time. */
export function hintsAt(work: Work, ref: WebhookRef, due: readonly { notBefore: number }[]) {
  const seconds = due.map(({ notBefore }) => Math.ceil((notBefore - work.now()) / 1000))
  return [...new Set(seconds.map((wait) => Math.max(0, wait)))].map((wait) => ({
    ...ref,
    notBefore: work.now() + wait * 1000,
  }))
}

/** Queues a probe for each held webhook that has rested and has a due delivery. */
export async function sweepHeldWebhooks(work: Work): Promise<void> {
  const now = work.now()
  const due = await work.db.all<WebhookRef>(sql`
    select ${w.teamId} as teamId, ${w.id} as webhookId from webhooks w
    where ${mayBeProbed(now)} and ${w.enabled} = 1 and exists (
      select 1 from deliveries d where ${d.webhookId} = ${w.id} and ${isDue(now)}
    )
    order by ${w.probeAt} limit ${PROBES_A_SWEEP}`)
  await enqueueProbes(
    work,
    due.map((ref) => ({ ...ref, notBefore: now })),
  )
}
