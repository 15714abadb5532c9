import { sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import type { Ctx } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { assertEnabled, selectWebhook, webhookOrNotFound } from "../webhooks.ts"
import { assertRoom, hasRoomFor, makeRepeats } from "./catch-up.ts"
import { MADE_WITHIN_MS } from "./new-deliveries.ts"
import { deliveries, effectiveState, events, webhooks } from "./table.ts"

const SCANNED_A_CALL = 5_000
const BACKFILLED_A_CALL = 1_000

/**
 * Queues the events that a webhook subscribes to and has neither received nor pending, oldest first.
 * Each call reads a bounded number of events and their deliveries: those made when the events were
 * stored, and the repeats, which have an index.
 */
export async function backfillWebhook(ctx: Ctx, id: string, after: number) {
  const { team } = await ctx.caller()
  const [[row], [span]] = await ctx.batch([selectWebhook(ctx, id), selectSpan(ctx, team.id, after)])
  assertEnabled(webhookOrNotFound(row).enabled)
  await assertRoom(ctx, { teamId: team.id, webhookId: id })
  if (!span?.last) return { queued: 0, nextAfter: null }
  const since = firstIdAt("delivery", span.oldest)
  const until = firstIdAt("delivery", span.newest + MADE_WITHIN_MS)
  const repeats = makeRepeats(
    ctx,
    team.id,
    sql`webhooks
      join events on ${events.teamId} = ${webhooks.teamId} and ${events.sequence} > ${after}
        and ${events.sequence} <= ${span.last}
      where ${webhooks.teamId} = ${team.id} and ${webhooks.id} = ${id}
        and ${events.webhookId} is null and ${isOneOf(events.type, webhooks.events)}
        and ${hasRoomFor(events.sequence)}
        and ${events.sequence} not in (
          select ${deliveries.sequence} from webhooks
          cross join deliveries on ${deliveries.teamId} = ${webhooks.teamId}
            and ${deliveries.webhookId} = ${webhooks.id}
          where ${webhooks.teamId} = ${team.id} and ${webhooks.id} = ${id}
            and ${deliveries.id} >= ${since} and ${deliveries.id} < ${until}
            and ${isHeldByReceiver} limit +${2 * SCANNED_A_CALL}
        )
        and not ${isRepeated}`,
    sql`order by ${events.sequence} limit +${BACKFILLED_A_CALL}`,
  )
  const { made } = await commit(ctx, repeats)
  const isFull = made.length === BACKFILLED_A_CALL
  const last = isFull ? Math.max(...made.map(({ sequence }) => sequence)) : span.last
  const hasMore = isFull || span.size === SCANNED_A_CALL
  return { queued: made.length, nextAfter: hasMore ? last : null }
}

/** A delivery that the receiver of the webhook has, or will get. */
const isHeldByReceiver = sql`${effectiveState} in ('pending', 'succeeded')`

/** The receiver of the webhook has the event by a replay or a backfill, or will get it. */
export const isRepeated = sql`exists (
  select 1 from deliveries where ${deliveries.repeats} = 1 and ${deliveries.webhookId} = ${webhooks.id}
    and ${deliveries.sequence} = ${events.sequence} and ${isHeldByReceiver})`

interface Span {
  size: number
  last: number | null
  oldest: number
  newest: number
}

const selectSpan = (ctx: Ctx, teamId: string, after: number) =>
  ctx.db.all<Span>(sql`
    select count(*) as size, max(sequence) as last, min(at) as oldest, max(at) as newest
    from (
      select ${events.sequence} as sequence, ${events.createdAt} as at from events
      where ${events.teamId} = ${teamId} and ${events.sequence} > ${after}
      order by ${events.sequence} limit +${SCANNED_A_CALL}
    )`)
