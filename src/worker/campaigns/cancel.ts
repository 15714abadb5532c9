import { and, isNotNull } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import { afterCommit, commit } from "../platform/db/commit.ts"
import { conflict } from "../platform/http/errors.ts"
import type { Campaign } from "./contract.ts"
import { anyCampaign, CANCELLABLE, hasStatus, moveCampaign } from "./move.ts"
import { enqueueCampaigns } from "./queue.ts"
import { campaignRuns } from "./table.ts"
import { campaignOrNotFound, isRun, selectCampaign, toCampaign } from "./view.ts"

/** Ends the fan-out at once. The queue cancels the queued emails, a batch at a time. */
export async function cancelCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const { team } = await ctx.caller()
  const campaign = await moveCampaign(ctx, { teamId: team.id, id }, CANCELLABLE, {
    campaign: { status: "cancelled" },
    run: { dueAt: null },
    wakeAt: ctx.now(),
  })
  if (campaign.status !== "cancelled") {
    throw conflict(`A campaign in status '${campaign.status}' cannot be cancelled.`)
  }
  return toCampaign(campaign)
}

/** Continues a campaign that the brake paused; any other campaign stays as it is. */
export async function resumeCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const { team } = await ctx.caller()
  const { row } = await commit(ctx, {
    resumed: afterCommit(
      ctx.db
        .update(campaignRuns)
        .set({ dueAt: ctx.now(), pausedReason: null })
        .where(
          and(
            isRun(team.id, id),
            isNotNull(campaignRuns.pausedReason),
            anyCampaign(ctx, hasStatus({ teamId: team.id, id }, ["sending"])),
          ),
        )
        .returning({ teamId: campaignRuns.teamId, campaignId: campaignRuns.campaignId }),
      (work, resumed) =>
        enqueueCampaigns(
          work,
          resumed.map((ref) => ({ ...ref, notBefore: work.now() })),
        ),
    ),
    row: selectCampaign(ctx, team.id, id),
  })
  const campaign = campaignOrNotFound(row[0])
  if (campaign.status !== "sending") {
    throw conflict(`A campaign in status '${campaign.status}' cannot be resumed.`)
  }
  return toCampaign(campaign)
}
