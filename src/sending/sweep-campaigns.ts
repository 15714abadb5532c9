import { sql } from "drizzle-orm"
import { enqueueCampaigns, LOOK_AGAIN_AFTER_MS, SWEEP_LOOKS_AHEAD_MS } from "../campaigns/queue.ts"
import type { Work } from "../env.ts"
import { inRounds } from "../lib/rounds.ts"
import type { CampaignRef } from "../queues/messages.ts"

const ROUNDS = { rounds: 100, size: 100 }

/** Scheduled campaigns of the coming minute, and whatever campaign no message carries on. */
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
  work.db.all<CampaignRef & { scheduledAt: number | null }>(sql`
    update campaign_runs set due_at = max(due_at, ${work.now()}) + ${LOOK_AGAIN_AFTER_MS}
    where (team_id, campaign_id) in (
      select team_id, campaign_id from campaign_runs
      where due_at <= ${work.now() + SWEEP_LOOKS_AHEAD_MS} order by due_at limit ${size}
    )
    returning team_id as teamId, campaign_id as campaignId, (
      select scheduled_at from campaigns k
      where k.team_id = campaign_runs.team_id and k.id = campaign_runs.campaign_id and k.status = 'scheduled'
    ) as scheduledAt`)
