import { and, eq, type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { assignments } from "../../platform/db/columns.ts"
import { afterCommit, commit } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { PICKED_UP_WITHIN_MS } from "../../platform/queues/due-work.ts"
import { type Change, keepChanges, newPublication } from "../../stream/outbox.ts"
import { countEnded } from "../counts/count.ts"
import { catchUp } from "../events/catch-up.ts"
import { enqueueHints } from "../events/queue.ts"
import { type DeliveryRow, deliveries, webhooks } from "../events/table.ts"
import type { WebhookRef } from "../messages.ts"
import type { Attempted, ClaimedWebhook } from "./attempt.ts"
import { disableFailing, healthOf, recordHealth } from "./failing.ts"
import { nextRest, rest } from "./rest.ts"

type Recorded = Pick<ClaimedWebhook, "teamId" | "id" | "url" | "deliverUntil" | "hasWaiting">

export interface Result extends Attempted {
  /** Its `notBefore` is the end of the lease: only the lease holder writes. */
  delivery: DeliveryRow
}

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

/**
 * A condition on the updated webhook: none of these deliveries was claimed again or dropped since. A
 * later claim says more about the receiver.
 */
function areStillLeased(results: readonly Result[]): SQL {
  const leases = results.map(({ delivery: { teamId, webhookId, id, notBefore } }) => ({
    teamId,
    webhookId,
    id,
    notBefore,
  }))
  const x = jsonFields<(typeof leases)[number]>()
  return sql`not exists (
    select 1 from ${jsonRows(leases)} where not exists (
      select 1 from deliveries
      where ${deliveries.teamId} = ${x.teamId} and ${deliveries.webhookId} = ${x.webhookId}
        and ${deliveries.id} = ${x.id}
        and ${deliveries.notBefore} = ${x.notBefore} and ${deliveries.state} = 'pending'
        and ${deliveries.createdAt} > ${webhooks.droppedAt}))`
}

/** Counts the deliveries that end with these results. */
function countResults(work: Work, { teamId, webhookId }: WebhookRef, results: readonly Result[]) {
  const ended = results.flatMap(({ delivery: { id, notBefore: lease }, verdict: { state } }) =>
    state === "pending" ? [] : { id, lease, state },
  )
  if (ended.length === 0) return []
  const x = jsonFields<(typeof ended)[number]>()
  const succeeded = sql`count(*) filter (where ${x.state} = 'succeeded')`
  return [
    work.db.run(
      countEnded(
        {
          teamId: sql`${teamId}`,
          webhookId: sql`${webhookId}`,
          at: work.now(),
          succeeded,
          failed: sql`count(*) - ${succeeded}`,
        },
        sql`from ${jsonRows(ended)} cross join deliveries
          where ${deliveries.teamId} = ${teamId} and ${deliveries.webhookId} = ${webhookId}
            and ${deliveries.id} = ${x.id}
            and ${deliveries.notBefore} = ${x.lease}
            and (${deliveries.state} = 'pending' or ${x.state} = 'succeeded')
          having count(*) > 0`,
      ),
    ),
  ]
}

/**
 * Only the lease holder writes. A delivery that was dropped meanwhile stays failed, unless the
 * attempt succeeded.
 */
function recordDeliveries(work: Work, results: readonly Result[]) {
  const rows = results.map(({ delivery, attempt, verdict }) => {
    const next = verdict.state === "pending" ? verdict.notBefore : null
    return {
      teamId: delivery.teamId,
      webhookId: delivery.webhookId,
      id: delivery.id,
      lease: delivery.notBefore,
      attempt,
      state: verdict.state,
      notBefore: next ?? delivery.notBefore,
      dueAt: next && next + PICKED_UP_WITHIN_MS,
      completedAt: next === null ? work.now() : null,
    }
  })
  const x = jsonFields<(typeof rows)[number]>()
  const json = jsonFields<(typeof rows)[number]>("x", "->")
  const counts = sql`(${deliveries.state} = 'pending' or ${x.state} = 'succeeded')`
  return work.db.run(sql`
    update deliveries set ${assignments(deliveries, {
      attempts: sql`iif(${x.attempt} is null, ${deliveries.attempts},
        json_insert(${deliveries.attempts}, '$[#]', json(${json.attempt})))`,
      state: sql`iif(${counts}, ${x.state}, ${deliveries.state})`,
      notBefore: x.notBefore,
      dueAt: sql`iif(${counts}, ${x.dueAt}, null)`,
      completedAt: sql`iif(${counts}, ${x.completedAt}, ${deliveries.completedAt})`,
    })} from ${jsonRows(rows)}
    where ${deliveries.teamId} = ${x.teamId} and ${deliveries.webhookId} = ${x.webhookId}
      and ${deliveries.id} = ${x.id}
      and ${deliveries.notBefore} = ${x.lease}`)
}
