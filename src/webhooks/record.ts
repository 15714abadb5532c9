import { sql } from "drizzle-orm"
import { assigned } from "../db/columns.ts"
import { commit, followed, type Statement } from "../db/commit.ts"
import { jsonMembersOf, jsonRows, membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import { enqueueDeliveries } from "../events/queue.ts"
import { type DeliveryRow, d, deliveries } from "../events/table.ts"
import { PICKED_UP_WITHIN_MS } from "../queues/due-work.ts"
import { type Change, keepListed } from "../stream/outbox.ts"
import type { Attempted } from "./attempt.ts"
import { disableFailing, healthOf, recordHealth } from "./failing.ts"

export interface Result extends Attempted {
  /** Its `notBefore` is the end of the lease: only the lease holder writes. */
  delivery: DeliveryRow
}

/**
 * Records deliveries and the health of their webhooks, and disables those that have been failing for
 * 24 hours. Then queues the retries. For a held webhook, `probe` does that.
 */
export async function recordResults(
  work: Work,
  results: readonly Result[],
  probe: readonly Statement[] = [],
): Promise<void> {
  const healths = healthOf(results)
  const failing = healths.filter(({ failingSince }) => failingSince !== null)
  await commit(work, {
    changes: keepListed(work, changesOf(results)),
    deliveries: followed(recordDeliveries(work, results), () =>
      enqueueDeliveries(work, probe.length > 0 ? [] : retriesOf(results)),
    ),
    health: recordHealth(work, healths),
    disabled: failing.length > 0 ? disableFailing(work, failing) : [],
    probe,
  })
}

/** One change for each webhook, whatever the number of its attempts. */
function changesOf(results: readonly Result[]): Change[] {
  const attempted = results.filter(({ attempt }) => attempt !== null)
  const teamOf = new Map(attempted.map(({ delivery }) => [delivery.webhookId, delivery.teamId]))
  return [...teamOf].map(([id, teamId]) => ({ teamId, type: "webhook", id }))
}

const retriesOf = (results: readonly Result[]) =>
  results.flatMap(({ delivery, verdict }) =>
    verdict.state === "pending" ? { ...delivery, ...verdict } : [],
  )

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
  const x = membersOf<(typeof rows)[number]>()
  const json = jsonMembersOf<(typeof rows)[number]>()
  const counts = sql`(${d.state} = 'pending' or ${x.state} = 'succeeded')`
  return work.db.run(sql`
    update deliveries as d set ${assigned(deliveries, {
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
