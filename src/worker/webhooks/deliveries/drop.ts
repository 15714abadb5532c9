import { type SQL, sql } from "drizzle-orm"
import { ITEMS_A_ROUND, inTurns } from "../../../lib/turns.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { assignments } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { limitedPerOwner } from "../../platform/db/per-owner.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { countEnded } from "../counts/count.ts"
import { DELIVERY_KEY, deliveries, isNotDropped, webhooks } from "../events/table.ts"
import type { WebhookRef } from "../messages.ts"

const DROPPED_AT_ONCE = 500
const DROP_WITHIN_MS = 10_000

/**
 * The `droppedAt` of a webhook that is disabled now: no delivery has a later `createdAt`. A clock that was
 * ahead may have dated the newest delivery, or an earlier `droppedAt`: deliveries after that have the next
 * millisecond.
 */
export const droppedAtNow = (
  work: Work,
) => sql`max(${work.now()}, abs(${webhooks.droppedAt}) + 1, ifnull((
  select ${deliveries.createdAt} from deliveries
  where ${deliveries.teamId} = ${webhooks.teamId} and ${deliveries.webhookId} = ${webhooks.id}
  order by ${deliveries.id} desc limit 1), 0))`

/** For a webhook that is disabled: events that wait get no deliveries either. */
export const NO_POSITION = { position: null, deliverUntil: null }

/** A condition on the deliveries of a webhook: dropped, and not failed yet. */
const isLeft = sql`${deliveries.webhookId} = ${webhooks.id} and ${deliveries.dueAt} is not null
  and not ${isNotDropped}`

/** Fails the first dropped deliveries of the disabled ones among these webhooks. */
export function dropPending(work: Work, refs: readonly WebhookRef[]) {
  const x = jsonFields<WebhookRef>()
  const dropped = sql`
    select ${deliveries.teamId}, ${deliveries.webhookId}, ${deliveries.id} from webhooks cross
      join deliveries on ${isLeft}
    where (${webhooks.teamId}, ${webhooks.id}) in (select ${x.teamId}, ${x.webhookId}
      from ${jsonRows(refs)})
      and ${webhooks.enabled} = 0 limit +${DROPPED_AT_ONCE}`
  return [count(work, dropped), fail(work, dropped)] as const
}

const isSwept = sql`${webhooks.droppedAt} > 0 and ${webhooks.teamId} not in (${FENCED_TEAMS})`

/** Fails the others, in rounds. Webhooks take turns. */
export const sweepDropped = (work: Work) =>
  inTurns(work, DROP_WITHIN_MS, async ({ after, share }) => {
    const left = sql`select ${deliveries.id} as value from deliveries where ${isLeft}`
    const dropped = sql`
      select ${webhooks.teamId}, ${webhooks.id}, x.value from webhooks cross
        join ${limitedPerOwner(left, share)} x
      where ${isSwept} and ${webhooks.teamId} || ${webhooks.id} > ${after}
      order by ${webhooks.teamId}, ${webhooks.id} limit +${ITEMS_A_ROUND}`
    const { failed } = await namedBatch(work.db, {
      counted: count(work, dropped),
      failed: fail(work, dropped).returning({
        teamId: deliveries.teamId,
        webhookId: deliveries.webhookId,
      }),
      finished: work.db.run(sql`
        update webhooks set ${assignments(webhooks, { droppedAt: sql`-${webhooks.droppedAt}` })}
        where ${isSwept} and not exists (${left})`),
    })
    return failed.map(({ teamId, webhookId }) => teamId + webhookId)
  })

/** Comes before `fail` in its batch. */
const count = (work: Work, dropped: SQL) =>
  work.db.run(
    countEnded(
      {
        teamId: deliveries.teamId,
        webhookId: deliveries.webhookId,
        at: webhooks.droppedAt,
        succeeded: 0,
        failed: sql`count(*)`,
      },
      sql`from deliveries join webhooks on ${webhooks.teamId} = ${deliveries.teamId}
        and ${webhooks.id} = ${deliveries.webhookId}
        where (${deliveries.teamId}, ${deliveries.webhookId}, ${deliveries.id}) in (${dropped})
        group by ${deliveries.teamId}, ${deliveries.webhookId}`,
    ),
  )

const fail = (work: Work, dropped: SQL) =>
  work.db
    .update(deliveries)
    .set({
      state: "failed",
      dueAt: null,
      completedAt: sql`(select ${webhooks.droppedAt} from webhooks
        where ${webhooks.teamId} = ${deliveries.teamId} and ${webhooks.id} = ${deliveries.webhookId})`,
    })
    .where(sql`${DELIVERY_KEY} in (${dropped})`)
