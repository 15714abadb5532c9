import { sql } from "drizzle-orm"
import { inRounds } from "../../../lib/rounds.ts"
import type { Work } from "../../platform/context.ts"
import { sweepWaitingEvents } from "../events/catch-up.ts"
import { enqueueHints } from "../events/queue.ts"
import { deliveries, webhooks } from "../events/table.ts"
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
      select ${webhooks.teamId} as "teamId", ${webhooks.id} as "webhookId" from waiting
      cross join webhooks on ${webhooks.teamId} = (${oldest(deliveries.teamId)})
        and ${webhooks.id} = waiting.id
        and (${webhooks.restsUntil} is null or ${hasRested(work.now())}) and ${webhooks.droppedAt} <= 0
      where (${oldest(deliveries.dueAt)}) <= ${work.now()} and not exists (
        select 1 from (
          select ${isLeased(work.now())} as "isLeased" from deliveries
          where ${deliveries.webhookId} = waiting.id and ${mayBeDue(work.now())}
          order by ${deliveries.dueAt} limit +${LOOKED_AT}
        ) where "isLeased")
      limit +${size}`)
    await enqueueHints(
      work,
      due.map((ref) => ({ ...ref, notBefore: work.now() })),
    )
    return due
  })
