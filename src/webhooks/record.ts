import { sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import type { DeliveryRow } from "../events/table.ts"
import { PICKED_UP_WITHIN_MS } from "../queues/look-again.ts"
import type { WebhookRef } from "../queues/messages.ts"
import { type KeptRow, keepListed } from "../stream/outbox.ts"
import type { Attempted } from "./attempt.ts"
import { disableFailing } from "./disable.ts"

export interface Result extends Attempted {
  /** Its `notBefore` is the end of the lease, by which the result is let in. */
  delivery: DeliveryRow
}

/**
 * Deliveries, what they say of their webhooks, and the 24-hour rule where one has failed. Answers
 * what the stream has to be told.
 */
export async function recordResults(
  work: Work,
  results: readonly Result[],
  more: readonly Query[] = [],
): Promise<KeptRow[]> {
  const healths = healthOf(results)
  const failing = healths.filter(({ failingSince }) => failingSince !== null)
  const attempted = results.filter(({ attempt }) => attempt !== null)
  const [kept] = await work.db.batch([
    keepListed(
      work,
      attempted.map(({ delivery: { teamId, webhookId } }) => ({
        teamId,
        type: "webhook",
        id: webhookId,
      })),
    ),
    recordDeliveries(work, results),
    work.db.run(sql`
      update webhooks set failing_since =
        iif(x.value ->> 'succeeded', x.value ->> 'failingSince', coalesce(failing_since, x.value ->> 'failingSince'))
      from json_each(${JSON.stringify(healths)}) x
      where webhooks.team_id = x.value ->> 'teamId' and webhooks.id = x.value ->> 'webhookId'
        and webhooks.enabled = 1
        and iif(x.value ->> 'succeeded', failing_since is not x.value ->> 'failingSince', failing_since is null)`),
    ...(failing.length > 0 ? disableFailing(work, failing) : []),
    ...more,
  ])
  return kept
}

/** Only the holder of the lease is heard. What was dropped meanwhile stays so, unless it did arrive. */
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
  const counts = sql`(state = 'pending' or x.value ->> 'state' = 'succeeded')`
  return work.db.run(sql`
    update deliveries as d set
      attempts = iif(x.value ->> 'attempt' is null, attempts,
        json_insert(attempts, '$[#]', json(x.value -> 'attempt'))),
      state = iif(${counts}, x.value ->> 'state', state),
      not_before = x.value ->> 'notBefore',
      due_at = iif(${counts}, x.value ->> 'dueAt', null),
      completed_at = iif(${counts}, x.value ->> 'completedAt', completed_at)
    from json_each(${JSON.stringify(rows)}) x
    where d.team_id = x.value ->> 'teamId' and d.webhook_id = x.value ->> 'webhookId'
      and d.id = x.value ->> 'id' and d.not_before = x.value ->> 'lease'`)
}

interface Health extends WebhookRef {
  succeeded: boolean
  /** The first failure after the last success among these results. */
  failingSince: number | null
}

function healthOf(results: readonly Result[]): Health[] {
  const byWebhook = new Map<string, Health>()
  const ended = results
    .flatMap(({ delivery, attempt, verdict, isOurFault }) =>
      attempt && !isOurFault
        ? { delivery, verdict, endedAt: attempt.startedAt + attempt.durationMs }
        : [],
    )
    .sort((a, b) => a.endedAt - b.endedAt)
  for (const { delivery, verdict, endedAt } of ended) {
    const { teamId, webhookId } = delivery
    const before = byWebhook.get(webhookId)
    const succeeded = verdict.state === "succeeded"
    byWebhook.set(webhookId, {
      teamId,
      webhookId,
      succeeded: succeeded || (before?.succeeded ?? false),
      failingSince: succeeded ? null : (before?.failingSince ?? endedAt),
    })
  }
  return [...byWebhook.values()]
}
