import { sql } from "drizzle-orm"
import { inRounds } from "../../../lib/rounds.ts"
import type { Work } from "../../platform/context.ts"
import { CAMPAIGN_BACKOFF_MS, SWEEP_LOOKS_AHEAD_MS } from "../../platform/queues/due-work.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { enqueueCampaigns } from "../queue.ts"
import { campaignRuns, campaigns } from "../table.ts"
import { WAVE_WAIT_MS } from "./waves.ts"

const ROUNDS = { rounds: 100, size: 100 }

/** Enqueues scheduled campaigns of the coming minute, and campaigns whose message was lost. */
export const sweepCampaigns = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = await takeDue(work, size)
    await enqueueCampaigns(
      work,
      due.map((ref) => ({ ...ref, notBefore: ref.scheduledAt ?? work.now() })),
    )
    return due
  })

/** Only a scheduled campaign waits longer. A later time was set by a clock that was ahead. */
const LONGEST_WAIT_MS = WAVE_WAIT_MS + 2 * CAMPAIGN_BACKOFF_MS

const takeDue = (work: Work, size: number) =>
  work.db
    .update(campaignRuns)
    .set({
      dueAt: sql`iif(${campaignRuns.dueAt} between ${work.now()} and ${work.now() + SWEEP_LOOKS_AHEAD_MS},
        ${campaignRuns.dueAt}, ${work.now()}) + ${CAMPAIGN_BACKOFF_MS}`,
    })
    .where(
      sql`(${campaignRuns.teamId}, ${campaignRuns.campaignId}) in (
        select ${campaignRuns.teamId}, ${campaignRuns.campaignId} from ${campaignRuns}
        where ${campaignRuns.teamId} not in (${FENCED_TEAMS})
          and (${campaignRuns.dueAt} <= ${work.now() + SWEEP_LOOKS_AHEAD_MS}
            or (${campaignRuns.dueAt} > ${work.now() + LONGEST_WAIT_MS} and ${scheduledAt} is null))
        order by ${campaignRuns.dueAt} limit +${size}
      )`,
    )
    .returning({
      teamId: campaignRuns.teamId,
      campaignId: campaignRuns.campaignId,
      // drizzle takes the tables off columns here, except inside of inner SQL.
      scheduledAt: sql<number | null>`${scheduledAt}`,
    })

const scheduledAt = sql`(
  select ${campaigns.scheduledAt} from campaigns
  where ${campaigns.teamId} = ${campaignRuns.teamId} and ${campaigns.id} = ${campaignRuns.campaignId}
    and ${campaigns.status} = 'scheduled')`
