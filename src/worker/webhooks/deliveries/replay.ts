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
import { d, e, effectiveState, w } from "../events/table.ts"
import { assertEnabled, selectWebhook, toDeliveryId, webhookOrNotFound } from "../webhooks.ts"

const SCANNED_A_CALL = 5_000
const REPLAYED_A_CALL = 1_000

/** An event's id is never younger than the event, so events from this id on are not purged yet. */
export const oldestEvent = (ctx: Ctx) => firstIdAt("event", ctx.now() - EVENTS_KEPT_MS)

/** Makes a new delivery of the same event, unless the webhook is disabled. */
export async function replayDelivery(ctx: Ctx, id: string) {
  const { team } = await ctx.caller()
  const replayed = sql`webhooks w
    join deliveries d on ${d.teamId} = ${w.teamId} and ${d.webhookId} = ${w.id} and ${d.id} = ${id}
    join events e on ${e.teamId} = ${d.teamId} and ${e.sequence} = ${d.sequence}
    where ${w.teamId} = ${team.id} and ${d.eventId} >= ${oldestEvent(ctx)}`
  const { made, found } = await commit(ctx, {
    ...makeRepeats(ctx, team.id, replayed),
    found: ctx.db.all(sql`select ${d.id} from ${replayed}`),
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
    select ${d.id} as id, ${d.sequence} as sequence,
      ${effectiveState} in ('failed', 'exhausted') and ${d.eventId} >= ${oldestEvent(ctx)} as failed
    from webhooks w cross join deliveries d on ${d.teamId} = ${w.teamId} and ${d.webhookId} = ${w.id}
    where ${w.teamId} = ${team.id} and ${w.id} = ${id} and ${d.id} > ${after}
    order by ${d.id} limit ${SCANNED_A_CALL}`
  const { webhook, span, made } = await commit(ctx, {
    webhook: selectWebhook(ctx, id),
    span: ctx.db.all<{ size: number; last: string | null }>(
      sql`select count(*) as size, max(id) as last from (${scanned})`,
    ),
    ...makeRepeats(
      ctx,
      team.id,
      sql`(select distinct sequence from (${scanned}) where failed) f
        cross join webhooks w on ${w.teamId} = ${team.id} and ${w.id} = ${id}
        cross join events e on ${e.teamId} = ${w.teamId} and ${e.sequence} = f.sequence
        where ${e.webhookId} is null and not ${isRepeated}`,
      sql`order by ${e.sequence} limit ${REPLAYED_A_CALL}`,
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
