import { and, asc, eq, gt, sql } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import type { listEvents as contract } from "./contract.ts"
import { assertEnabled, makeDeliveries } from "./new-deliveries.ts"
import { toEvent } from "./payload.ts"
import { enqueueDeliveries } from "./queue.ts"
import { events } from "./table.ts"
import { found, selectWebhook } from "./webhooks.ts"

const BACKFILLED_A_CALL = 1_000

export async function listEvents(ctx: Ctx, { after, limit }: InputOf<typeof contract>["query"]) {
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(events)
      .where(and(eq(events.teamId, ctx.team), gt(events.sequence, after)))
      .orderBy(asc(events.sequence))
      .limit(limit),
  ])
  return {
    data: rows.map((row) => ({ sequence: row.sequence, ...toEvent(row) })),
    nextAfter: rows.at(-1)?.sequence ?? after,
  }
}

/** Queues what a webhook subscribes to and has neither received nor pending, oldest first. */
export async function backfillWebhook(ctx: Ctx, id: string, after: number) {
  const { team } = await ctx.caller()
  const [made, [row]] = await ctx.batch([
    makeDeliveries(
      ctx,
      sql`webhooks w join (
        select e.* from webhooks w join events e on e.team_id = w.team_id
        where w.team_id = ${team.id} and w.id = ${id} and e.sequence > ${after}
          and e.webhook_id is null and e.type in (select value from json_each(w.events))
          and e.sequence not in (
            select sequence from deliveries
            where team_id = ${team.id} and webhook_id = ${id} and state in ('pending', 'succeeded')
          )
        order by e.sequence limit ${BACKFILLED_A_CALL}
      ) e
      where w.team_id = ${team.id} and w.id = ${id}`,
    ),
    selectWebhook(ctx, id),
  ])
  assertEnabled(found(row).enabled)
  ctx.defer(enqueueDeliveries(ctx, made))
  const last = Math.max(...made.map(({ sequence }) => sequence))
  return { queued: made.length, nextAfter: made.length < BACKFILLED_A_CALL ? null : last }
}
