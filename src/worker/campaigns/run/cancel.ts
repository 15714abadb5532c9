import type { Ctx } from "../../platform/context.ts"
import { conflict } from "../../platform/http/errors.ts"
import type { Campaign } from "../contract.ts"
import { whileHeld } from "../sending/held-batches.ts"
import { toCampaign } from "../view.ts"
import { CANCELLABLE, moveCampaign } from "./move.ts"

/** Ends the fan-out at once. The queue cancels the queued emails, a batch at a time. */
export async function cancelCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const { team } = await ctx.caller()
  const campaign = await moveCampaign(ctx, { teamId: team.id, id }, CANCELLABLE, {
    action: "campaigns.cancel",
    campaign: { status: "cancelled" },
    run: { dueAt: whileHeld(ctx, { teamId: team.id, campaignId: id }) },
    wakeAt: ctx.now(),
  })
  if (campaign.status !== "cancelled") {
    throw conflict(`A campaign in status '${campaign.status}' cannot be cancelled.`)
  }
  return toCampaign(campaign)
}

/** A scheduled campaign becomes a draft again, as it was before; any other campaign stays as it is. */
export async function unscheduleCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const { team } = await ctx.caller()
  const campaign = await moveCampaign(ctx, { teamId: team.id, id }, ["scheduled"], {
    action: "campaigns.cancel",
    campaign: { status: "draft", scheduledAt: null },
    run: { dueAt: null },
  })
  return toCampaign(campaign)
}
