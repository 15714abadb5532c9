import { and, eq, getTableColumns, gte, sql } from "drizzle-orm"
import { unsignedHeaders } from "../../../lib/webhook-signature.ts"
import type { Ctx } from "../../platform/context.ts"
import { orNotFound } from "../../platform/http/errors.ts"
import { type DeliveryRow, deliveries, events, webhooks } from "../events/table.ts"
import { bodyOf, headersOf, toPayload } from "../payload.ts"
import type { Delivery } from "./contract.ts"
import { oldestEvent } from "./replay.ts"

export async function getDelivery(ctx: Ctx, id: string) {
  const { delivery, event, webhook } = await readDelivery(ctx, id)
  return {
    ...toDelivery(delivery, webhook.droppedAt),
    payload: bodyOf(event, webhook.format, ctx.settings),
    attempts: delivery.attempts,
  }
}

/** Searches by the team's few webhooks: an index by id would cost a row for every delivery. */
async function readDelivery(ctx: Ctx, id: string) {
  const [[row]] = await ctx.batch([
    ctx.db
      .select({
        ...getTableColumns(deliveries),
        data: events.data,
        // In a batch, two columns with the same name would become one.
        storedAt: sql<number>`${events.createdAt}`.as("stored_at"),
        url: webhooks.url,
        format: webhooks.format,
        droppedAt: webhooks.droppedAt,
      })
      .from(webhooks)
      .crossJoin(deliveries)
      .innerJoin(
        events,
        and(eq(events.teamId, deliveries.teamId), eq(events.sequence, deliveries.sequence)),
      )
      .where(
        and(
          eq(webhooks.teamId, ctx.team),
          eq(deliveries.teamId, webhooks.teamId),
          eq(deliveries.webhookId, webhooks.id),
          eq(deliveries.id, id),
          isKept(ctx),
        ),
      ),
  ])
  const { data, storedAt, url, format, droppedAt, ...delivery } = orNotFound(row, "Delivery")
  const { eventId, eventType, sequence } = delivery
  const event = { id: eventId, type: eventType, sequence, data, createdAt: storedAt }
  return { delivery, event, webhook: { url, format, droppedAt } }
}

/** The request of each attempt, without the signatures, which are not stored. */
export async function getDeliveryRequest(ctx: Ctx, id: string) {
  const { delivery, event, webhook } = await readDelivery(ctx, id)
  return {
    url: webhook.url,
    body: toPayload(event, webhook.format, ctx.settings),
    attempts: delivery.attempts.map(({ number, startedAt }) => ({
      number,
      headers: headersOf(webhook.format, unsignedHeaders(event, startedAt)),
    })),
  }
}

/** A replay is hidden as soon as its event may be purged. */
export const isKept = (ctx: Ctx) => gte(deliveries.eventId, oldestEvent(ctx))

/** `droppedAt` is that of the delivery's webhook. */
export function toDelivery(row: DeliveryRow, droppedAt: number): Delivery {
  const isDropped = row.state === "pending" && row.createdAt <= droppedAt
  return {
    ...row,
    ...(isDropped && { state: "failed", completedAt: droppedAt }),
    attemptCount: row.attempts.length,
    nextAttemptAt: row.state === "pending" && !isDropped ? row.notBefore : null,
  }
}
