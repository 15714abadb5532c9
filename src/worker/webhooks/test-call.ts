import type { Ctx } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { newEvent, storeEvent } from "./events/store.ts"
import { assertEnabled, selectWebhook, toDeliveryId, webhookOrNotFound } from "./webhooks.ts"

/** Sends a synthetic event to this webhook alone. */
export async function testWebhook(ctx: Ctx, webhookId: string) {
  const { team } = await ctx.caller()
  const [[webhook]] = await ctx.batch([selectWebhook(ctx, webhookId)])
  assertEnabled(webhookOrNotFound(webhook).enabled)
  const event = newEvent(ctx, team.id, "email.delivered", { test: true })
  const { deliveries } = await commit(ctx, storeEvent(ctx, { ...event, webhookId }))
  return toDeliveryId(deliveries)
}
