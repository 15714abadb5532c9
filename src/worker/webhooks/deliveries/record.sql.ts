import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { assignments } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { PICKED_UP_WITHIN_MS } from "../../platform/queues/due-work.ts"
import { countEnded } from "../counts/count.ts"
import { type DeliveryRow, deliveries, webhooks } from "../events/table.ts"
import type { WebhookRef } from "../messages.ts"
import type { Attempted } from "./attempt.ts"

export interface Result extends Attempted {
  /** Its `notBefore` is the end of the lease: only the lease holder writes. */
  delivery: DeliveryRow
}

/**
 * A condition on the updated webhook: none of these deliveries was claimed again or dropped since. A
 * later claim says more about the receiver.
 */
export function areStillLeased(results: readonly Result[]): SQL {
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
export function countResults(
  work: Work,
  { teamId, webhookId }: WebhookRef,
  results: readonly Result[],
) {
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
export function recordDeliveries(work: Work, results: readonly Result[]) {
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
