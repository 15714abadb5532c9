import { and, eq } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { afterCommit, commit } from "../../platform/db/commit.ts"
import { type Change, keepChanges, newPublication } from "../../stream/outbox.ts"
import { catchUp } from "../events/catch-up.ts"
import { enqueueHints } from "../events/queue.ts"
import { webhooks } from "../events/table.ts"
import type { WebhookRef } from "../messages.ts"
import type { ClaimedWebhook } from "./attempt.ts"
import { disableFailing, healthOf, recordHealth } from "./failing.ts"
import { areStillLeased, countResults, type Result, recordDeliveries } from "./record.sql.ts"
import { nextRest, rest } from "./rest.ts"

type Recorded = Pick<ClaimedWebhook, "teamId" | "id" | "url" | "deliverUntil" | "hasWaiting">

/**
 * Records the results of attempts at one webhook and its health, and disables it if it has been failing for
 * 24 hours. Hints follow: at the retries, and at the end of the rest if the webhook `rests`.
 */
export async function recordResults(
  work: Work,
  webhook: Recorded,
  results: readonly Result[],
  { rests }: { rests: boolean },
): Promise<void> {
  const { teamId, id: webhookId, url } = webhook
  const ref = { teamId, webhookId }
  const health = healthOf(results)
  const condition = areStillLeased(results)
  const change: Change = { teamId, type: "webhook", id: webhookId }
  const restsUntil = rests ? nextRest(work, results) : null
  await commit(work, {
    changes: keepChanges(
      work,
      results.some(({ attempt }) => attempt) ? [change] : [],
      newPublication(work),
    ),
    health: health ? [recordHealth(work, ref, health, condition)] : [],
    // An old receiver says nothing about the one of a new URL.
    rest: rests ? [rest(work, ref, restsUntil, and(eq(webhooks.url, url), condition))] : [],
    counts: countResults(work, ref, results),
    // They end the leases on which the health, the rest and the counts depend.
    deliveries: afterCommit(recordDeliveries(work, results), async () => {
      const times = [...retriesOf(results), ...(rests ? [work.now()] : [])]
      await enqueueHints(work, hintsAt(work, ref, times, restsUntil ?? 0))
      const isQuickAgain = rests && restsUntil === null
      if (isQuickAgain || hasNewRoom(work, webhook, results)) await catchUp(work, [ref])
    }),
    disabled: health?.failingSince ? disableFailing(work, [ref]) : [],
  })
}

const retriesOf = (results: readonly Result[]) =>
  results.flatMap(({ verdict }) => (verdict.state === "pending" ? verdict.notBefore : []))

/** One hint for all that is due within a second, and none before the webhook has rested. */
function hintsAt(work: Work, ref: WebhookRef, times: readonly number[], earliest: number) {
  const now = work.now()
  const waits = times.map((time) => Math.ceil(Math.max(0, time - now, earliest - now) / 1000))
  return [...new Set(waits)].map((seconds) => ({ ...ref, notBefore: now + seconds * 1000 }))
}

/** Events wait, and half of the deliveries before them have come to their end. */
const hasNewRoom = (
  work: Work,
  { hasWaiting, deliverUntil }: Recorded,
  results: readonly Result[],
) =>
  hasWaiting &&
  results.some(
    ({ delivery, verdict }) =>
      verdict.state === "succeeded" &&
      (deliverUntil ?? 0) - delivery.sequence <= work.settings.WEBHOOK_PENDING_LIMIT / 2,
  )
