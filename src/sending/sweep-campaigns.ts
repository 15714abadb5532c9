import { sql } from "drizzle-orm"
import { k } from "../campaigns/aliases.ts"
import { enqueueCampaigns, LOOK_AGAIN_AFTER_MS, SWEEP_LOOKS_AHEAD_MS } from "../campaigns/queue.ts"
import { campaignRuns } from "../campaigns/table.ts"
import type { Work } from "../env.ts"
import { inRounds } from "../lib/rounds.ts"

const ROUNDS = { rounds: 100, size: 100 }

/** Enqueues scheduled campaigns of the coming minute, and campaigns whose message was lost. */
export const sweepCampaigns = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = await takeDue(work, size)
    await enqueueCampaigns(
      work,
      due.map((ref) => ({ ...ref, notBefore: ref.scheduledAt ?? work.now() })),
    )
    return due.length
  })

const takeDue = (work: Work, size: number) =>
  work.db
    .update(campaignRuns)
    .set({ dueAt: sql`max(due_at, ${work.now()}) + ${LOOK_AGAIN_AFTER_MS}` })
    .where(
      sql`(team_id, campaign_id) in (
        select team_id, campaign_id from ${campaignRuns}
        where ${campaignRuns.dueAt} <= ${work.now() + SWEEP_LOOKS_AHEAD_MS}
        order by ${campaignRuns.dueAt} limit ${size}
      )`,
    )
    .returning({
      teamId: campaignRuns.teamId,
      campaignId: campaignRuns.campaignId,
      scheduledAt: sql<number | null>`(
        select ${k.scheduledAt} from campaigns k
        where ${k.teamId} = campaign_runs.team_id and ${k.id} = campaign_runs.campaign_id
          and ${k.status} = 'scheduled')`,
    })
