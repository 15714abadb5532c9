import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { assignments } from "../../platform/db/columns.ts"
import { afterCommit, commit } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { PICKED_UP_WITHIN_MS } from "../../platform/queues/due-work.ts"
import { type Change, keepChanges, newPublication } from "../../stream/outbox.ts"
import { catchUp } from "../events/catch-up.ts"
import { enqueueHints } from "../events/queue.ts"
import { type DeliveryRow, d, deliveries, webhooks } from "../events/table.ts"
import type { Attempted, ClaimedWebhook } from "./attempt.ts"
import { disableFailing, healthOf, recordHealth } from "./failing.ts"
import { afterProbe, hintsAt, recordProbe } from "./hold.ts"

type Recorded = Pick<ClaimedWebhook, "teamId" | "id" | "url" | "deliverUntil" | "hasWaiting">

export interface Result extends Attempted {
  /** Its `notBefore` is the end of the lease: only the lease holder writes. */
  delivery: DeliveryRow
}

/**
 * Records the results of attempts at one webhook and its health, and disables it if it has been
 * failing for 24 hours. Retries follow, or the next probe of a held webhook.
 */
export async function recordResults(
  work: Work,
  webhook: Recorded,
  results: readonly Result[],
  { isHeld }: { isHeld: boolean },
): Promise<void> {
  const { teamId, id: webhookId, url } = webhook
  const ref = { teamId, webhookId }
  const health = healthOf(results)
  const condition = areStillLeased(results)
  const change: Change = { teamId, type: "webhook", id: webhookId }
  await commit(work, {
    changes: keepChanges(
      work,
      results.some(({ attempt }) => attempt) ? [change] : [],
      newPublication(work),
    ),
    health: health ? [recordHealth(work, ref, health, condition)] : [],
    probe: isHeld
      ? [
          afterCommit(recordProbe(work, ref, url, results, condition), () =>
            afterProbe(work, ref, results),
          ),
        ]
      : [],
    // They end the leases on which the health and the probe depend.
    deliveries: afterCommit(recordDeliveries(work, results), async () => {
      await enqueueHints(work, isHeld ? [] : hintsAt(work, ref, retriesOf(results)))
      if (hasNewRoom(work, webhook, results)) await catchUp(work, [ref])
    }),
    disabled: health?.failingSince ? disableFailing(work, [ref]) : [],
  })
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

const retriesOf = (results: readonly Result[]) =>
  results.flatMap(({ attempt, verdict }) => (attempt && verdict.state === "pending" ? verdict : []))

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
      select 1 from deliveries d
      where ${d.teamId} = ${x.teamId} and ${d.webhookId} = ${x.webhookId} and ${d.id} = ${x.id}
        and ${d.notBefore} = ${x.notBefore} and ${d.state} = 'pending'
        and ${d.createdAt} > ${webhooks.droppedAt}))`
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
  const counts = sql`(${d.state} = 'pending' or ${x.state} = 'succeeded')`
  return work.db.run(sql`
    update deliveries as d set ${assignments(deliveries, {
      attempts: sql`iif(${x.attempt} is null, ${d.attempts},
        json_insert(${d.attempts}, '$[#]', json(${json.attempt})))`,
      state: sql`iif(${counts}, ${x.state}, ${d.state})`,
      notBefore: x.notBefore,
      dueAt: sql`iif(${counts}, ${x.dueAt}, null)`,
      completedAt: sql`iif(${counts}, ${x.completedAt}, ${d.completedAt})`,
    })} from ${jsonRows(rows)}
    where ${d.teamId} = ${x.teamId} and ${d.webhookId} = ${x.webhookId} and ${d.id} = ${x.id}
      and ${d.notBefore} = ${x.lease}`)
}
