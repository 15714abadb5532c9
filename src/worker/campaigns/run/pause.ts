import { and, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm"
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core"
import { assertMaySendFrom, isDomainOfKey } from "../../access/may-send-from.ts"
import { isOpen, OPEN_EMAILS, PRIORITIES } from "../../emails/sending/open-emails.ts"
import { emails } from "../../emails/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { afterCommit, commit } from "../../platform/db/commit.ts"
import { conflict } from "../../platform/http/errors.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import type { Campaign } from "../contract.ts"
import type { CampaignRef } from "../messages.ts"
import { enqueueCampaigns } from "../queue.ts"
import { hasBatches } from "../sending/held-batches.ts"
import type { CampaignStatus } from "../statuses.ts"
import { campaignBatches, campaignRuns, campaigns } from "../table.ts"
import { campaignOrNotFound, isCampaign, isRun, selectCampaign, toCampaign } from "../view.ts"
import { anyCampaign, hasStatus } from "./move.ts"

const BY_HAND = "Paused by hand."

/** Stops the fan-out at once. The queue takes the queued emails out of sending, step by step. */
export async function pauseCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const { team } = await ctx.caller()
  const ref = { teamId: team.id, campaignId: id }
  const has = (status: CampaignStatus) =>
    anyCampaign(ctx, hasStatus({ teamId: team.id, id }, [status]))
  const isInQueue = or(hasBatches(ctx, campaignBatches, ref), hasOpenEmails(ref))
  const hasEmails = or(has("sending"), and(has("sent"), isInQueue))
  const campaign = await changeRun(ctx, id, and(isNull(campaignRuns.pausedReason), hasEmails), {
    action: "campaigns.pause",
    pausedReason: BY_HAND,
  })
  const { status, pausedReason } = campaign
  if (status === "sent" && !pausedReason) {
    throw conflict("No email of this campaign is waiting in the queue.")
  }
  if (!RUNNING.includes(status)) {
    throw conflict(`A campaign in status '${status}' cannot be paused.`)
  }
  return campaign
}

/** Resumes a paused campaign; any other campaign stays as it is. */
export async function resumeCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const { team } = await ctx.caller()
  const isOwn = await isDomainOfKey(ctx, campaigns.domainId)
  const isPaused = and(
    isNotNull(campaignRuns.pausedReason),
    anyCampaign(ctx, and(hasStatus({ teamId: team.id, id }, RUNNING), isOwn) as SQL),
  )
  // A wave is judged again from its start: it may have been held while its outcomes were awaited.
  const campaign = await changeRun(ctx, id, isPaused, {
    action: "campaigns.resume",
    pausedReason: null,
    waveEndedAt: null,
  })
  await assertMaySendFrom(ctx, campaign.domainId)
  if (!RUNNING.includes(campaign.status)) {
    throw conflict(`A campaign in status '${campaign.status}' cannot be resumed.`)
  }
  return campaign
}

/** Emails that were claimed and put off. */
const hasOpenEmails = ({ teamId, campaignId }: CampaignRef) =>
  sql`exists (select 1 from ${OPEN_EMAILS} where ${isOpen(PRIORITIES.bulk)}
    and ${emails.teamId} = ${teamId} and ${emails.campaignId} = ${campaignId})`

const RUNNING: readonly CampaignStatus[] = ["sending", "sent"]

/** Changes the run if it meets the condition, and wakes the campaign. */
async function changeRun(
  ctx: Ctx,
  id: string,
  condition: SQL | undefined,
  { action, ...change }: SQLiteUpdateSetSource<typeof campaignRuns> & { action: string },
): Promise<Campaign> {
  const { team } = await ctx.caller()
  const isThere = anyCampaign(ctx, and(isCampaign(team.id, id), isNull(campaigns.deletedAt)) as SQL)
  const { rows } = await commit(ctx, {
    changed: afterCommit(
      ctx.db
        .update(campaignRuns)
        .set({ ...change, dueAt: ctx.now() })
        .where(and(isRun(team.id, id), isThere, condition))
        .returning({ teamId: campaignRuns.teamId, campaignId: campaignRuns.campaignId }),
      (work, changed) =>
        enqueueCampaigns(
          work,
          changed.map((ref) => ({ ...ref, notBefore: work.now() })),
        ),
    ),
    audit: await auditEntry(ctx, action, { id }),
    rows: selectCampaign(ctx, team.id, id),
  })
  return toCampaign(campaignOrNotFound(rows[0]))
}
