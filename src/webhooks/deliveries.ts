import { and, desc, eq, gte, lt, sql } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import { makeRepeats, queued } from "../events/new-deliveries.ts"
import { type DeliveryRow, deliveries, events } from "../events/table.ts"
import { notFound } from "../http/errors.ts"
import { type Page, type PageQuery, readCursor, toPage } from "../http/page.ts"
import { firstIdAt } from "../lib/id.ts"
import type { Delivery } from "./dashboard-contract.ts"
import { toEvent } from "./payload.ts"
import { EVENTS_KEPT_MS } from "./sweep.ts"
import { found, selectWebhook } from "./webhooks.ts"

export async function listDeliveries(
  ctx: Ctx,
  webhookId: string,
  query: PageQuery,
): Promise<Page<Delivery>> {
  const below = readCursor("delivery", query.cursor)
  const [[webhook], rows] = await ctx.batch([
    selectWebhook(ctx, webhookId),
    ctx.db
      .select()
      .from(deliveries)
      .where(
        and(
          eq(deliveries.teamId, ctx.team),
          eq(deliveries.webhookId, webhookId),
          below ? lt(deliveries.id, below) : undefined,
          isKept(ctx),
        ),
      )
      .orderBy(desc(deliveries.id))
      .limit(query.limit + 1),
  ])
  found(webhook)
  const page = toPage(rows, query.limit)
  return { ...page, data: page.data.map(toDelivery) }
}

export async function getDelivery(ctx: Ctx, id: string) {
  const [[row], [event]] = await ctx.batch([
    ctx.db.select().from(deliveries).where(isDelivery(ctx, id)),
    ctx.db
      .select()
      .from(events)
      .where(
        and(
          eq(events.teamId, ctx.team),
          eq(
            events.sequence,
            ctx.db.select({ at: deliveries.sequence }).from(deliveries).where(isDelivery(ctx, id)),
          ),
        ),
      ),
  ])
  if (!row || !event) throw notFound("Delivery")
  return { ...toDelivery(row), payload: toEvent(event), attempts: row.attempts }
}

/** Makes a new delivery of the same event, unless the webhook is disabled. */
export async function replayDelivery(ctx: Ctx, id: string) {
  const { team } = await ctx.caller()
  const replayed = sql`webhooks w
    join deliveries d on d.team_id = w.team_id and d.webhook_id = w.id and d.id = ${id}
    join events e on e.team_id = d.team_id and e.sequence = d.sequence
    where w.team_id = ${team.id} and d.event_id >= ${oldestEvent(ctx)}`
  const [made, [delivery]] = await ctx.batch([
    makeRepeats(ctx, replayed),
    ctx.db.all(sql`select d.id from ${replayed}`),
  ])
  if (!delivery) throw notFound("Delivery")
  return queued(ctx, made)
}

/** Searches by the team's few webhooks: an index by id would cost a row for every delivery. */
const isDelivery = (ctx: Ctx, id: string) =>
  and(
    eq(deliveries.teamId, ctx.team),
    sql`${deliveries.webhookId} in (select id from webhooks where team_id = ${ctx.team})`,
    eq(deliveries.id, id),
    isKept(ctx),
  )

/** An event's id is never younger than the event, so events from this id on are not purged yet. */
const oldestEvent = (ctx: Ctx) => firstIdAt("event", ctx.now() - EVENTS_KEPT_MS)

/** A replay is hidden as soon as its event may be purged. */
const isKept = (ctx: Ctx) => gte(deliveries.eventId, oldestEvent(ctx))

export const toDelivery = (row: DeliveryRow): Delivery => ({
  ...row,
  attemptCount: row.attempts.length,
  nextAttemptAt: row.state === "pending" ? row.notBefore : null,
})
