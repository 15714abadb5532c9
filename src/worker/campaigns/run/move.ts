import { and, eq, exists, inArray, type SQL, sql } from "drizzle-orm"
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core"
import type { Ctx, Work } from "../../platform/context.ts"
import { afterCommit, commit } from "../../platform/db/commit.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import type { CampaignStatus } from "../contract.ts"
import { enqueueCampaigns } from "../queue.ts"
import { campaignRuns, campaigns } from "../table.ts"
import {
  type CampaignRow,
  type CampaignWithRun,
  campaignOrNotFound,
  isCampaign,
  isRun,
  selectCampaign,
} from "../view.ts"

export const EDITABLE: readonly CampaignStatus[] = ["draft", "scheduled"]
export const CANCELLABLE: readonly CampaignStatus[] = ["scheduled", "sending"]
export const isEditable = ({ status }: CampaignRow) => EDITABLE.includes(status)

type Key = Pick<CampaignRow, "teamId" | "id">

interface Move {
  campaign: SQLiteUpdateSetSource<typeof campaigns>
  run: SQLiteUpdateSetSource<typeof campaignRuns>
  /** When the queue continues the campaign; absent if it does not. */
  wakeAt?: number | undefined
}

export const hasStatus = ({ teamId, id }: Key, statuses: readonly CampaignStatus[]) =>
  and(isCampaign(teamId, id), inArray(campaigns.status, [...statuses])) as SQL

/** Whether a campaign is unchanged since it was read. */
export const isAsRead = (row: CampaignRow) =>
  and(hasStatus(row, [row.status]), eq(campaigns.updatedAt, row.updatedAt)) as SQL

/** Always later than before, so that an equal `updatedAt` proves that a campaign is unchanged. */
export const nextUpdate = (work: Work) => sql`max(${work.now()}, ${campaigns.updatedAt} + 1)`

/** For a statement on another table. */
export const anyCampaign = (work: Work, condition: SQL) =>
  exists(work.db.select({ id: campaigns.id }).from(campaigns).where(condition))

/** Changes a campaign and its run if the campaign meets the condition; `moved` tells whether. */
export const moveStatements = (
  work: Work,
  key: Key,
  condition: SQL,
  { campaign, run, wakeAt }: Move,
) => ({
  run: work.db
    .update(campaignRuns)
    .set({ pausedReason: null, ...run })
    .where(and(isRun(key.teamId, key.id), anyCampaign(work, condition))),
  moved: afterCommit(
    work.db.update(campaigns).set(campaign).where(condition).returning({ id: campaigns.id }),
    async (work, moved) => {
      if (wakeAt === undefined) return
      const { teamId } = key
      await enqueueCampaigns(
        work,
        moved.map(({ id }) => ({ teamId, campaignId: id, notBefore: wakeAt })),
      )
    },
  ),
})

/** Changes a campaign that has one of these statuses; answers the campaign as it is afterwards. */
export async function moveCampaign(
  ctx: Ctx,
  key: Key,
  from: readonly CampaignStatus[],
  { action, ...move }: Move & { action: string },
): Promise<CampaignWithRun> {
  const { rows } = await commit(ctx, {
    ...moveStatements(ctx, key, hasStatus(key, from), {
      ...move,
      campaign: { ...move.campaign, updatedAt: nextUpdate(ctx) },
    }),
    audit: await auditEntry(ctx, action, { id: key.id }),
    rows: selectCampaign(ctx, key.teamId, key.id),
  })
  return campaignOrNotFound(rows[0])
}
