import { type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import { newId } from "../../../lib/id.ts"
import type { Work } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import { deliveryTimes } from "../../webhooks/events/new-deliveries.ts"
import { selectEvents, storeEventsFrom, teamsOf } from "../../webhooks/events/store.ts"
import { CAMPAIGN_COUNTS, campaign as campaignShape } from "../contract.ts"
import { campaignRuns, campaigns } from "../table.ts"
import { type CampaignWithRun, isCampaign, isRun, toCampaign } from "../view.ts"
import { whileHeld } from "./held-batches.ts"

/** Ends the fan-out once every contact of the book has been queued. */
export async function endFanOut(work: Work, row: CampaignWithRun): Promise<void> {
  const isUnchanged = sql`${campaigns.status} = 'sending'
    and ${campaignRuns.cursor} is ${row.cursor} and ${campaignRuns.pausedReason} is null`
  const now = work.now()
  const sent = { ...row, status: "sent", sentAt: now } as const
  await commit(work, {
    ...storeCampaignEvent(work, "campaign.sent", sent, isUnchanged),
    run: work.db
      .update(campaignRuns)
      .set({ dueAt: sql`iif(${campaignRuns.open} = 0, ${now}, null)`, waveEndedAt: null })
      .where(isRunWhile(row, isUnchanged)),
    campaign: work.db
      .update(campaigns)
      .set({ status: "sent", sentAt: now })
      .where(
        sql`${isCampaign(row.teamId, row.id)} and exists (
          select 1 from ${campaignRuns} where ${isRun(row.teamId, row.id)} and ${isUnchanged})`,
      ),
  })
}

/** Completes a campaign whose emails have all ended. The event has the counts that the batch finds. */
export async function completeCampaign(work: Work, row: CampaignWithRun): Promise<void> {
  const isUnchanged = sql`${campaigns.status} = 'sent' and ${campaignRuns.open} = 0
    and ${campaignRuns.completedAt} is null`
  await commit(work, {
    ...storeCampaignEvent(work, "campaign.completed", row, isUnchanged),
    run: work.db
      .update(campaignRuns)
      .set({
        completedAt: work.now(),
        pausedReason: null,
        dueAt: whileHeld(work, { teamId: row.teamId, campaignId: row.id }),
      })
      .where(isRunWhile(row, isUnchanged)),
  })
}

const isRunWhile = ({ teamId, id }: CampaignWithRun, condition: SQL) =>
  sql`${isRun(teamId, id)} and exists (
    select 1 from ${campaigns} where ${isCampaign(teamId, id)} and ${condition})`

function storeCampaignEvent(
  work: Work,
  type: "campaign.sent" | "campaign.completed",
  row: CampaignWithRun,
  condition: SQL,
) {
  const campaign = z.encode(campaignShape, toCampaign(row))
  const counts = sql.join(
    CAMPAIGN_COUNTS.map((name) => sql`${name}, ${campaignRuns[name]}`),
    sql`, `,
  )
  return storeEventsFrom(
    work,
    selectEvents(
      {
        team_id: campaigns.teamId,
        id: sql`${newId("event", work.now())}`,
        type: sql`${type}`,
        created_at: sql`${work.now()}`,
        data: sql`json_set(${JSON.stringify({ campaign })}, '$.campaign.counts', json_object(${counts}))`,
        webhook_id: sql`null`,
        position: sql`0`,
      },
      sql`from ${campaigns} cross join ${campaignRuns} on ${isRun(row.teamId, row.id)}
        where ${isCampaign(row.teamId, row.id)} and ${condition}`,
    ),
    { teamIds: teamsOf([row]), ...deliveryTimes(work.now()) },
  )
}
