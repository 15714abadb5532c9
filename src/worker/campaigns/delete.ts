import { and, inArray, isNull, ne, type SQLWrapper, sql } from "drizzle-orm"
import { inRounds } from "../../lib/rounds.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { namedBatch } from "../platform/db/client.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { deleteObjects } from "../platform/db/overflow.ts"
import { conflict } from "../platform/http/errors.ts"
import { deleteLinks } from "../stats/links/delete-links.ts"
import type { CampaignRef } from "./messages.ts"
import { EDITABLE } from "./move.ts"
import { campaignBodies, campaignRuns, campaigns } from "./table.ts"
import { campaignOrNotFound, isCampaign, isOwnRun, selectCampaign } from "./view.ts"

const ROUNDS = { rounds: 5, size: 50 }

/** Hides a campaign at once. Its row stays until its emails are sent, since they need its body. */
export async function deleteCampaign(ctx: Ctx, id: string): Promise<undefined> {
  const { team } = await ctx.caller()
  const { rows } = await namedBatch(ctx, {
    rows: selectCampaign(ctx, team.id, id),
    hidden: ctx.db
      .update(campaigns)
      .set({
        deletedAt: ctx.now(),
        status: sql`iif(${inArray(campaigns.status, [...EDITABLE])}, 'cancelled', ${campaigns.status})`,
      })
      .where(
        and(isCampaign(team.id, id), ne(campaigns.status, "sending"), isNull(campaigns.deletedAt)),
      ),
  })
  const { status } = campaignOrNotFound(rows[0])
  if (status === "sending") throw conflict("A campaign cannot be deleted while sending.")
  ctx.defer(purgeDeleted(ctx))
}

/** Some emails may never end. Then the campaign is deleted when their content would be purged. */
export const purgeDeleted = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const longAgo = work.now() - work.settings.CONTENT_RETENTION_DAYS * DAY_MS
    const purged = await work.db.all<CampaignRef>(sql`
      select ${campaigns.teamId} as teamId, ${campaigns.id} as campaignId
      from ${campaigns} cross join ${campaignRuns} on ${isOwnRun}
      where ${campaigns.deletedAt} is not null and (${campaigns.status} <> 'sent'
        or ${campaignRuns.completedAt} is not null or ${campaigns.deletedAt} < ${longAgo})
      limit ${size}`)
    if (purged.length === 0) return []
    const { teamId, campaignId } = jsonFields<CampaignRef>()
    const isPurged = (team: SQLWrapper, campaign: SQLWrapper) =>
      sql`(${team}, ${campaign}) in (select ${teamId}, ${campaignId} from ${jsonRows(purged)})`
    const { bodies } = await namedBatch(work.db, {
      bodies: work.db
        .delete(campaignBodies)
        .where(isPurged(campaignBodies.teamId, campaignBodies.campaignId))
        .returning({ objectKey: campaignBodies.objectKey }),
      runs: work.db
        .delete(campaignRuns)
        .where(isPurged(campaignRuns.teamId, campaignRuns.campaignId)),
      links: deleteLinks(work, sql`select ${teamId}, ${campaignId} from ${jsonRows(purged)}`),
      campaigns: work.db.delete(campaigns).where(isPurged(campaigns.teamId, campaigns.id)),
    })
    await deleteObjects(work.env, bodies)
    return purged
  })
