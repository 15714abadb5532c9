import { and, exists, inArray, isNotNull, isNull, ne, type SQLWrapper, sql } from "drizzle-orm"
import { inRounds } from "../../lib/rounds.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { deleteObjects, type Stored } from "../platform/db/overflow.ts"
import { conflict } from "../platform/http/errors.ts"
import { deleteLinks } from "../stats/links/delete-links.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import type { CampaignRef } from "./messages.ts"
import { anyCampaign, EDITABLE, hasStatus } from "./run/move.ts"
import { whileHeld } from "./sending/held-batches.ts"
import { campaignBodies, campaignRuns, campaigns, heldBatches } from "./table.ts"
import { campaignOrNotFound, isCampaign, isOwnRun, isRun, selectCampaign } from "./view.ts"

const ROUNDS = { rounds: 5, size: 50 }

/**
 * Hides a campaign at once. Its row stays until its emails are sent, since they need its body. What
 * a paused campaign holds is cancelled.
 */
export async function deleteCampaign(ctx: Ctx, id: string): Promise<undefined> {
  const { team } = await ctx.caller()
  const ref = { teamId: team.id, campaignId: id }
  const paused = and(isRun(team.id, id), isNotNull(campaignRuns.pausedReason))
  const isPaused = exists(
    ctx.db.select({ id: campaignRuns.campaignId }).from(campaignRuns).where(paused),
  )
  const { rows } = await commit(ctx, {
    rows: selectCampaign(ctx, team.id, id),
    hidden: ctx.db
      .update(campaigns)
      .set({
        deletedAt: ctx.now(),
        status: sql`iif(${inArray(campaigns.status, [...EDITABLE])} or ${isPaused}, 'cancelled', ${campaigns.status})`,
      })
      .where(
        and(isCampaign(team.id, id), ne(campaigns.status, "sending"), isNull(campaigns.deletedAt)),
      ),
    audit: await auditEntry(ctx, "campaigns.remove", { id }),
    resumed: ctx.db
      .update(campaignRuns)
      .set({ pausedReason: null, dueAt: whileHeld(ctx, ref) })
      .where(and(paused, anyCampaign(ctx, hasStatus({ teamId: team.id, id }, ["cancelled"])))),
  })
  const { status } = campaignOrNotFound(rows[0])
  if (status === "sending") throw conflict("A campaign cannot be deleted while sending.")
  ctx.defer(purgeDeleted(ctx))
}

/** Some emails may never end. Then the campaign is deleted when their content would be purged. */
export const purgeDeleted = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const longAgo = work.now() - work.settings.CONTENT_RETENTION_DAYS * DAY_MS
    const purged = await work.db.all<CampaignRef & Pick<Stored, "objectKey">>(sql`
      select ${campaigns.teamId} as teamId, ${campaigns.id} as campaignId, (
        select ${campaignBodies.objectKey} from ${campaignBodies}
        where ${campaignBodies.teamId} = ${campaigns.teamId}
          and ${campaignBodies.campaignId} = ${campaigns.id}) as objectKey
      from ${campaigns} cross join ${campaignRuns} on ${isOwnRun}
      where ${campaigns.deletedAt} is not null and (${campaigns.status} <> 'sent'
        or ${campaignRuns.completedAt} is not null or ${campaigns.deletedAt} < ${longAgo})
        and not exists (select 1 from ${heldBatches}
          where ${heldBatches.teamId} = ${campaigns.teamId} and ${heldBatches.campaignId} = ${campaigns.id})
      limit +${size}`)
    if (purged.length === 0) return []
    await deleteObjects(work.env, purged)
    const { teamId, campaignId } = jsonFields<CampaignRef>()
    const isPurged = (team: SQLWrapper, campaign: SQLWrapper) =>
      sql`(${team}, ${campaign}) in (select ${teamId}, ${campaignId} from ${jsonRows(purged)})`
    await work.db.batch([
      work.db
        .delete(campaignBodies)
        .where(isPurged(campaignBodies.teamId, campaignBodies.campaignId)),
      work.db.delete(campaignRuns).where(isPurged(campaignRuns.teamId, campaignRuns.campaignId)),
      deleteLinks(work, sql`select ${teamId}, ${campaignId} from ${jsonRows(purged)}`),
      work.db.delete(campaigns).where(isPurged(campaigns.teamId, campaigns.id)),
    ])
    return purged
  })
