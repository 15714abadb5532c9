import { and, inArray, isNotNull } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import { conflict } from "../http/errors.ts"
import { hasStatus } from "./campaigns.ts"
import type { Campaign } from "./contract.ts"
import { enqueueCampaigns } from "./queue.ts"
import { campaignRuns, campaigns } from "./table.ts"
import { found, isCampaign, isRun, selectCampaign, toCampaign } from "./view.ts"

const CANCELLABLE = ["scheduled", "sending"] as const

/** Ends the fan-out at once; what is queued is cancelled page by page. */
export async function cancelCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const { team } = await ctx.caller()
  const [, , [row]] = await ctx.batch([
    ctx.db
      .update(campaignRuns)
      .set({ dueAt: null, pausedReason: null })
      .where(and(isRun(team.id, id), hasStatus(ctx, id, CANCELLABLE))),
    ctx.db
      .update(campaigns)
      .set({ status: "cancelled", updatedAt: ctx.now() })
      .where(and(isCampaign(team.id, id), inArray(campaigns.status, CANCELLABLE))),
    selectCampaign(ctx, team.id, id),
  ])
  const campaign = found(row)
  if (campaign.status !== "cancelled") {
    throw conflict(`A campaign in status '${campaign.status}' cannot be cancelled.`)
  }
  ctx.defer(enqueueCampaigns(ctx, [{ teamId: team.id, campaignId: id, notBefore: ctx.now() }]))
  return toCampaign(campaign)
}

/** Goes on where the brake stopped; one that is not paused is left as it is. */
export async function resumeCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const { team } = await ctx.caller()
  const [resumed, [row]] = await ctx.batch([
    ctx.db
      .update(campaignRuns)
      .set({ dueAt: ctx.now(), pausedReason: null })
      .where(
        and(
          isRun(team.id, id),
          isNotNull(campaignRuns.pausedReason),
          hasStatus(ctx, id, ["sending"]),
        ),
      )
      .returning(),
    selectCampaign(ctx, team.id, id),
  ])
  const campaign = found(row)
  if (campaign.status !== "sending") {
    throw conflict(`A campaign in status '${campaign.status}' cannot be resumed.`)
  }
  if (resumed.length > 0) {
    const ref = { teamId: team.id, campaignId: id, notBefore: ctx.now() }
    ctx.defer(enqueueCampaigns(ctx, [ref]))
  }
  return toCampaign(campaign)
}
