import { sql } from "drizzle-orm"
import { inRounds } from "../../../lib/rounds.ts"
import type { Work } from "../../platform/context.ts"
import { sweepWaitingEvents } from "../events/catch-up.ts"
import { enqueueHints } from "../events/queue.ts"
import { d, w } from "../events/table.ts"
import type { WebhookRef } from "../messages.ts"
import { sweepDropped } from "./drop.ts"
import { hasRested, isLeased, mayBeDue, oldest, shortenWaits, waitingWebhooks } from "./due.ts"

/** Webhooks of one round. */
const HINTED_AT_ONCE = 500
const ROUNDS = { rounds: 20, size: HINTED_AT_ONCE }

/** Among so many of the oldest due deliveries, one under a lease says that a consumer is at work. */
const LOOKED_AT = 100

export async function sweepDeliveries(work: Work): Promise<void> {
  await sweepDropped(work)
  await shortenWaits(work)
  await sweepDueDeliveries(work)
  await sweepWaitingEvents(work)
}

/** One hint for each webhook with due deliveries whose hint was lost, or whose consumer died. */
const sweepDueDeliveries = (work: Work) =>
  inRounds(ROUNDS, async (size, last?: WebhookRef) => {
    const due = await work.db.all<WebhookRef>(sql`
      with recursive ${waitingWebhooks(last?.webhookId ?? "")}
      select ${w.teamId} as "teamId", ${w.id} as "webhookId" from waiting
      cross join webhooks w on ${w.teamId} = (${oldest(d.teamId)}) and ${w.id} = waiting.id
        and (${w.restsUntil} is null or ${hasRested(work.now())}) and ${w.droppedAt} <= 0
      where (${oldest(d.dueAt)}) <= ${work.now()} and not exists (
        select 1 from (
          select ${isLeased(work.now())} as "isLeased" from deliveries d
          where ${d.webhookId} = waiting.id and ${mayBeDue(work.now())}
          order by ${d.dueAt} limit ${LOOKED_AT}
        ) where "isLeased")
      limit ${size}`)
    await enqueueHints(
      work,
      due.map((ref) => ({ ...ref, notBefore: work.now() })),
    )
    return due
  })
