import { type SQL, sql } from "drizzle-orm"
import { ITEMS_A_ROUND, inTurns } from "../../../lib/turns.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { assignments } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { limitedPerOwner } from "../../platform/db/per-owner.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { countEnded } from "../counts/count.ts"
import { DELIVERY_KEY, d, deliveries, isNotDropped, w, webhooks } from "../events/table.ts"
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
  select ${d.createdAt} from deliveries d
  where ${d.teamId} = ${webhooks.teamId} and ${d.webhookId} = ${webhooks.id}
  order by ${d.id} desc limit 1), 0))`

/** For a webhook that is disabled: events that wait get no deliveries either. */
export const NO_POSITION = { position: null, deliverUntil: null }

/** A condition on the deliveries `d` of a webhook `w`: dropped, and not failed yet. */
const isLeft = sql`${d.webhookId} = ${w.id} and ${d.dueAt} is not null
  and not ${isNotDropped}`

/** Fails the first dropped deliveries of the disabled ones among these webhooks. */
export function dropPending(work: Work, refs: readonly WebhookRef[]) {
  const x = jsonFields<WebhookRef>()
  const dropped = sql`
    select ${d.teamId}, ${d.webhookId}, ${d.id} from webhooks w cross join deliveries d on ${isLeft}
    where (${w.teamId}, ${w.id}) in (select ${x.teamId}, ${x.webhookId} from ${jsonRows(refs)})
      and ${w.enabled} = 0 limit ${DROPPED_AT_ONCE}`
  return [count(work, dropped), fail(work, dropped)] as const
}

const isSwept = sql`${w.droppedAt} > 0 and ${w.teamId} not in (${FENCED_TEAMS})`

/** Fails the others, in rounds. Webhooks take turns. */
export const sweepDropped = (work: Work) =>
  inTurns(work, DROP_WITHIN_MS, async ({ after, share }) => {
    const left = sql`select ${d.id} as value from deliveries d where ${isLeft}`
    const dropped = sql`
      select ${w.teamId}, ${w.id}, x.value from webhooks w cross join ${limitedPerOwner(left, share)} x
      where ${isSwept} and ${w.teamId} || ${w.id} > ${after}
      order by ${w.teamId}, ${w.id} limit ${ITEMS_A_ROUND}`
    const { failed } = await namedBatch(work.db, {
      counted: count(work, dropped),
      failed: fail(work, dropped).returning({
        teamId: deliveries.teamId,
        webhookId: deliveries.webhookId,
      }),
      finished: work.db.run(sql`
        update webhooks as w set ${assignments(webhooks, { droppedAt: sql`-${w.droppedAt}` })}
        where ${isSwept} and not exists (${left})`),
    })
    return failed.map(({ teamId, webhookId }) => teamId + webhookId)
  })

/** Comes before `fail` in its batch. */
const count = (work: Work, dropped: SQL) =>
  work.db.run(
    countEnded(
      {
        teamId: d.teamId,
        webhookId: d.webhookId,
        at: w.droppedAt,
        succeeded: 0,
        failed: sql`count(*)`,
      },
      sql`from deliveries d join webhooks w on ${w.teamId} = ${d.teamId} and ${w.id} = ${d.webhookId}
        where (${d.teamId}, ${d.webhookId}, ${d.id}) in (${dropped})
        group by ${d.teamId}, ${d.webhookId}`,
    ),
  )

const fail = (work: Work, dropped: SQL) =>
  work.db
    .update(deliveries)
    .set({
      state: "failed",
      dueAt: null,
      completedAt: sql`(select ${w.droppedAt} from webhooks w
        where ${w.teamId} = ${deliveries.teamId} and ${w.id} = ${deliveries.webhookId})`,
    })
    .where(sql`${DELIVERY_KEY} in (${dropped})`)
