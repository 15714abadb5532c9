import { type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import { afterCommit, type WithAfterCommit } from "../../platform/db/commit.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import type { WebhookRef } from "../messages.ts"
import { deliveryTimes, makeLaterDeliveries, type Times } from "./new-deliveries.ts"
import { enqueueHints, enqueueProbes } from "./queue.ts"
import { d, isNotDropped, w } from "./table.ts"

/** A webhook with new deliveries that no message leads to yet. */
export interface NewHint extends WebhookRef {
  /** When a held webhook is probed next. */
  probeAt: number | null
}

/**
 * The webhooks of these teams that need a message. An older delivery that is due by now has
 * caused a message, and its consumer will find the new ones. `teamIds` is a JSON list.
 */
export const selectNewHints = (
  { db }: Pick<Work, "db">,
  teamIds: string | Placeholder,
  { createdAt, dueAt }: Times,
) =>
  db.all<NewHint>(sql`
    select ${w.teamId} as "teamId", ${w.id} as "webhookId", ${w.probeAt} as "probeAt"
    from webhooks w
    where ${isOneOf(w.teamId, sql`${teamIds}`)} and ${w.enabled} = 1
      and exists (
        select 1 from deliveries d where ${d.webhookId} = ${w.id} and ${d.dueAt} = ${dueAt})
      and not exists (
        select 1 from deliveries d where ${d.webhookId} = ${w.id}
          and ${d.dueAt} > ${createdAt} and ${d.dueAt} < ${dueAt}
          and ${d.notBefore} <= ${createdAt} and ${isNotDropped})`)

/** After the commit of new deliveries. A held webhook gets a probe, unless it rests. */
export async function enqueueNewHints(work: Work, rows: readonly NewHint[]): Promise<void> {
  const hints = rows.map((one) => ({ ...one, notBefore: work.now() }))
  const held = Object.groupBy(hints, ({ probeAt }) => (probeAt === null ? "open" : "held"))
  await enqueueHints(work, held.open ?? [])
  await enqueueProbes(
    work,
    (held.held ?? []).filter(({ probeAt }) => (probeAt ?? 0) <= work.now()),
  )
}

/** For `commit`: the messages follow the commit. */
export const thenEnqueueHints = <Q extends Query & { _: { result: NewHint[] } }>(
  query: Q,
): WithAfterCommit<Q> => afterCommit(query, enqueueNewHints)

/** For `commit`: deliveries of events that were stored before. `page` may order and limit them. */
export function makeRepeats(work: Work, teamId: string, from: SQL, page?: SQL) {
  const times = deliveryTimes(work.now())
  return {
    made: makeLaterDeliveries(work, from, times, page),
    hints: thenEnqueueHints(selectNewHints(work, JSON.stringify([teamId]), times)),
  }
}
