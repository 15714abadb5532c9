import { type SQL, sql } from "drizzle-orm"
import { ITEMS_A_ROUND, inTurns, type Round } from "../../../lib/rounds.ts"
import type { Work } from "../../platform/context.ts"
import { distinctIds, limitedPerOwner } from "../../platform/db/per-owner.ts"
import { DELIVERY_BACKOFF_MS } from "../../platform/queues/due-work.ts"
import { enqueueDeliveries } from "../events/queue.ts"
import { DELIVERY_KEY, d, deliveries, w } from "../events/table.ts"
import { sweepDropped } from "./drop.ts"
import { sweepHeldWebhooks } from "./hold.ts"

const ENQUEUE_WITHIN_MS = 20_000

export async function sweepDeliveries(work: Work): Promise<void> {
  await sweepDropped(work)
  await sweepHeldWebhooks(work)
  await sweepDueDeliveries(work)
}

/** Due deliveries whose message was lost, or whose consumer died with the lease. */
const sweepDueDeliveries = (work: Work) =>
  inTurns(work, ENQUEUE_WITHIN_MS, async (round) => {
    const { teamId, webhookId, id, notBefore } = deliveries
    const due = await work.db
      .update(deliveries)
      .set({ dueAt: work.now() + DELIVERY_BACKOFF_MS })
      .where(sql`${DELIVERY_KEY} in (${selectDue(work, round)})`)
      .returning({ teamId, webhookId, id, notBefore })
    await enqueueDeliveries(work, due)
    return due.map(({ webhookId }) => webhookId)
  })

/** A share of each webhook that is not held, read from the index webhook by webhook. */
const selectDue = (work: Work, { after, share }: Round) => sql`
  with recursive ${distinctIds("waiting", nextWaiting, { from: sql`${after}` })}
  select ${w.teamId}, ${w.id}, x.value ->> 1 from waiting
  cross join ${limitedPerOwner(
    sql`select json_array(${d.teamId}, ${d.id}) as value from deliveries d
      where ${d.webhookId} = waiting.id and ${d.dueAt} <= ${work.now()} order by ${d.dueAt}`,
    share,
  )} x
  cross join webhooks w
    on ${w.teamId} = x.value ->> 0 and ${w.id} = waiting.id and ${w.probeAt} is null
    and ${w.droppedAt} = 0
  limit ${ITEMS_A_ROUND}`

const nextWaiting = (after: SQL) => sql`(
  select min(${d.webhookId}) from deliveries d
  where ${d.dueAt} is not null and ${d.webhookId} > ${after})`
