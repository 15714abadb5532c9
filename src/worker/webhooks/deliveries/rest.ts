import { and, eq, type SQL } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { webhooks } from "../events/table.ts"
import type { WebhookRef } from "../messages.ts"
import { type Attempted, SLOW_MS, TIMED_OUT } from "./attempt.ts"
import { REST_MS } from "./due.ts"

const isSlow = ({ attempt, callMs }: Attempted) =>
  (callMs ?? 0) >= SLOW_MS || attempt?.error === TIMED_OUT

/** Whether the webhook rests after this attempt. */
export const mustRest = (attempted: Attempted) => isSlow(attempted) || attempted.neverLeft === true

/**
 * When the rest after these attempts ends. Null: the webhook rests no more, as all answers were quick. A late
 * success, an attempt that failed for good and a released delivery start no rest, and the next claim still
 * takes one delivery.
 */
export function nextRest(work: Work, results: readonly Attempted[]): number | null {
  const calls = results.filter(({ callMs }) => typeof callMs === "number")
  const isQuick = (one: Attempted) => one.attempt?.statusCode != null && !isSlow(one)
  const needsNone = ({ attempt, verdict, neverLeft }: Attempted) =>
    !neverLeft && (attempt === null || verdict.state === "succeeded" || verdict.state === "failed")
  if (calls.length > 0 && calls.every(isQuick) && !results.some(mustRest)) return null
  return work.now() + (results.every(needsNone) ? 0 : REST_MS)
}

export const rest = (
  work: Work,
  { teamId, webhookId }: WebhookRef,
  restsUntil: number | null,
  condition?: SQL,
) =>
  work.db
    .update(webhooks)
    .set({ restsUntil })
    .where(
      and(
        eq(webhooks.teamId, teamId),
        eq(webhooks.id, webhookId),
        eq(webhooks.enabled, true),
        condition,
      ),
    )
