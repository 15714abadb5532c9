import { sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import type { Ctx } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { notFound } from "../../platform/http/errors.ts"
import { readCursor, writeCursor } from "../../platform/http/page.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import type { replayFailed as contract } from "../dashboard-contract.ts"
import { isRepeated } from "../events/backfill.ts"
import { assertRoom, makeRepeats } from "../events/catch-up.ts"
import { EVENTS_KEPT_MS } from "../events/purge.ts"
import { deliveries, effectiveState, events, webhooks } from "../events/table.ts"
import { assertEnabled, selectWebhook, toDeliveryId, webhookOrNotFound } from "../webhooks.ts"

const SCANNED_A_CALL = 5_000
const REPLAYED_A_CALL = 1_000

/** An event's id is never younger than the event, so events from this id on are not purged yet. */
export const oldestEvent = (ctx: Ctx) => firstIdAt("event", ctx.now() - EVENTS_KEPT_MS)

/** Makes a new delivery of the same event, unless the webhook is disabled. */
export async function replayDelivery(ctx: Ctx, id: string) {
  const { team } = await ctx.caller()
  const replayed = sql`webhooks
    join deliveries on ${deliveries.teamId} = ${webhooks.teamId}
      and ${deliveries.webhookId} = ${webhooks.id} and ${deliveries.id} = ${id}
    join events on ${events.teamId} = ${deliveries.teamId} and ${events.sequence} = ${deliveries.sequence}
    where ${webhooks.teamId} = ${team.id} and ${deliveries.eventId} >= ${oldestEvent(ctx)}`
  const { made, found } = await commit(ctx, {
    ...makeRepeats(ctx, team.id, replayed),
    found: ctx.db.all(sql`select ${deliveries.id} from ${replayed}`),
  })
  if (found.length === 0) throw notFound("Delivery")
  return toDeliveryId(made)
}

/**
 * Queues the events of deliveries that failed, oldest first, each once. An event that a replay holds
 * is left out, so a call may be repeated.
 */
export async function replayFailed(
  ctx: Ctx,
  id: string,
  { since = ctx.now() - EVENTS_KEPT_MS, cursor }: InputOf<typeof contract>["json"],
) {
  const { team } = await ctx.caller()
  await assertRoom(ctx, { teamId: team.id, webhookId: id })
  const after = readCursor("delivery", cursor) ?? firstIdAt("delivery", since)
  const scanned = sql`
    select ${deliveries.id} as id, ${deliveries.sequence} as sequence,
      ${effectiveState} in ('failed', 'exhausted')
        and ${deliveries.eventId} >= ${oldestEvent(ctx)} as failed
    from webhooks cross join deliveries on ${deliveries.teamId} = ${webhooks.teamId}
      and ${deliveries.webhookId} = ${webhooks.id}
    where ${webhooks.teamId} = ${team.id} and ${webhooks.id} = ${id} and ${deliveries.id} > ${after}
    order by ${deliveries.id} limit +${SCANNED_A_CALL}`
  const { webhook, span, made } = await commit(ctx, {
    webhook: selectWebhook(ctx, id),
    span: ctx.db.all<{ size: number; last: string | null }>(
      sql`select count(*) as size, max(id) as last from (${scanned})`,
    ),
    ...makeRepeats(
      ctx,
      team.id,
      sql`(select distinct sequence from (${scanned}) where failed) f
        cross join webhooks on ${webhooks.teamId} = ${team.id} and ${webhooks.id} = ${id}
        cross join events on ${events.teamId} = ${webhooks.teamId} and ${events.sequence} = f.sequence
        where ${events.webhookId} is null and not ${isRepeated}`,
      sql`order by ${events.sequence} limit +${REPLAYED_A_CALL}`,
    ),
    audit: await auditEntry(ctx, "deliveries.replayFailed", { id }),
  })
  assertEnabled(webhookOrNotFound(webhook[0]).enabled)
  return { queued: made.length, nextCursor: nextCursor(made.length, after, span[0]) }
}

/** After a full call, the same deliveries are looked at again: the queued ones are held by then. */
function nextCursor(made: number, after: string, span?: { size: number; last: string | null }) {
  if (made === REPLAYED_A_CALL) return writeCursor(after)
  return span?.last && span.size === SCANNED_A_CALL ? writeCursor(span.last) : null
}
