import { commit } from "../db/commit.ts"
import type { Ctx } from "../env.ts"
import { assertEnabled, toDeliveryId } from "../events/new-deliveries.ts"
import { storeEvent } from "../events/store.ts"
import { newId } from "../lib/id.ts"
import { foundWebhook, selectWebhook } from "./webhooks.ts"

/** Sends a synthetic event to this webhook alone. */
export async function testWebhook(ctx: Ctx, webhookId: string) {
  const { team } = await ctx.caller()
  const [[webhook]] = await ctx.batch([selectWebhook(ctx, webhookId)])
  assertEnabled(foundWebhook(webhook).enabled)
  const { deliveries } = await commit(
    ctx,
    storeEvent(ctx, {
      id: newId("event", ctx.now()),
      teamId: team.id,
      type: "email.delivered",
      createdAt: ctx.now(),
      data: { test: true },
      webhookId,
    }),
  )
  return toDeliveryId(deliveries)
}
