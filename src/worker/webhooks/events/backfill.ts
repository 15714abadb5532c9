import { sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import type { Ctx } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { assertEnabled, selectWebhook, webhookOrNotFound } from "../webhooks.ts"
import { assertRoom, hasRoomFor, makeRepeats } from "./catch-up.ts"
import { MADE_WITHIN_MS } from "./new-deliveries.ts"
import { d, e, effectiveState, w } from "./table.ts"

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
    sql`webhooks w
      join events e on ${e.teamId} = ${w.teamId} and ${e.sequence} > ${after} and ${e.sequence} <= ${span.last}
      where ${w.teamId} = ${team.id} and ${w.id} = ${id}
        and ${e.webhookId} is null and ${isOneOf(e.type, w.events)} and ${hasRoomFor(e.sequence)}
        and ${e.sequence} not in (
          select ${d.sequence} from webhooks w
          cross join deliveries d on ${d.teamId} = ${w.teamId} and ${d.webhookId} = ${w.id}
          where ${w.teamId} = ${team.id} and ${w.id} = ${id}
            and ${d.id} >= ${since} and ${d.id} < ${until}
            and ${isHeldByReceiver} limit ${2 * SCANNED_A_CALL}
        )
        and not ${isRepeated}`,
    sql`order by ${e.sequence} limit ${BACKFILLED_A_CALL}`,
  )
  const { made } = await commit(ctx, repeats)
  const isFull = made.length === BACKFILLED_A_CALL
  const last = isFull ? Math.max(...made.map(({ sequence }) => sequence)) : span.last
  const hasMore = isFull || span.size === SCANNED_A_CALL
  return { queued: made.length, nextAfter: hasMore ? last : null }
}

/** A delivery `d` that the receiver of `w` has, or will get. */
const isHeldByReceiver = sql`${effectiveState} in ('pending', 'succeeded')`

/** The receiver of `w` has the event `e` by a replay or a backfill, or will get it. */
export const isRepeated = sql`exists (
  select 1 from deliveries d where ${d.repeats} = 1 and ${d.webhookId} = ${w.id}
    and ${d.sequence} = ${e.sequence} and ${isHeldByReceiver})`

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
      select ${e.sequence} as sequence, ${e.createdAt} as at from events e
      where ${e.teamId} = ${teamId} and ${e.sequence} > ${after}
      order by ${e.sequence} limit ${SCANNED_A_CALL}
    )`)
