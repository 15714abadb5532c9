import { and, eq, gte } from "drizzle-orm"
import { firstIdAt } from "../../lib/id.ts"
import type { Ctx } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { newEvent, storeEvents } from "./events/store.ts"
import { deliveries } from "./events/table.ts"
import type { EventType } from "./events/types.ts"
import { sampleData } from "./sample-data.ts"
import { assertEnabled, selectWebhook, toDeliveryId, webhookOrNotFound } from "./webhooks.ts"

/** Sends the event of the specification to this webhook alone. */
export const testWebhook = (ctx: Ctx, webhookId: string) =>
  sendEvent(ctx, webhookId, "email.delivered", { test: true })

/** Sends an event that looks like a real one, with made-up records. */
export const sendSampleEvent = (ctx: Ctx, webhookId: string, type: EventType) =>
  sendEvent(ctx, webhookId, type, sampleData(type, ctx.now()))

async function sendEvent(
  ctx: Ctx,
  webhookId: string,
  type: EventType,
  data: Record<string, unknown>,
) {
  const { team } = await ctx.caller()
  const [[webhook]] = await ctx.batch([selectWebhook(ctx, webhookId)])
  assertEnabled(webhookOrNotFound(webhook).enabled)
  const event = newEvent(ctx, team.id, type, data)
  const { made } = await commit(ctx, {
    events: storeEvents(ctx, [{ ...event, webhookId }]),
    made: ctx.db
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.teamId, team.id),
          eq(deliveries.webhookId, webhookId),
          gte(deliveries.id, firstIdAt("delivery", event.createdAt)),
          eq(deliveries.eventId, event.id),
        ),
      ),
  })
  return toDeliveryId(made)
}
