import { and, eq, gte } from "drizzle-orm"
import { firstIdAt } from "../../lib/id.ts"
import type { Ctx } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { newEvent, storeEvents } from "./events/store.ts"
import { deliveries } from "./events/table.ts"
import { assertEnabled, selectWebhook, toDeliveryId, webhookOrNotFound } from "./webhooks.ts"

/** Sends a synthetic event to this webhook alone. */
export async function testWebhook(ctx: Ctx, webhookId: string) {
  const { team } = await ctx.caller()
  const [[webhook]] = await ctx.batch([selectWebhook(ctx, webhookId)])
  assertEnabled(webhookOrNotFound(webhook).enabled)
  const event = newEvent(ctx, team.id, "email.delivered", { test: true })
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
