import { and, eq, getTableColumns, type SQL } from "drizzle-orm"
import { formatMailbox } from "../../lib/address.ts"
import type { Work } from "../platform/context.ts"
import { notFound } from "../platform/http/errors.ts"
import { inShare } from "../platform/http/pages/light-page.ts"
import { CAMPAIGN_COUNTS, type Campaign } from "./contract.ts"
import type { CountName } from "./statuses.ts"
import { campaignRuns, campaigns } from "./table.ts"

const { teamId: _, campaignId: __, ...runColumns } = getTableColumns(campaignRuns)

const { blocks, mergeDefaults } = campaigns
const columns = { ...getTableColumns(campaigns), ...runColumns }

/** A condition for a join: the run of the campaign. */
export const isOwnRun = and(
  eq(campaignRuns.teamId, campaigns.teamId),
  eq(campaignRuns.campaignId, campaigns.id),
)

/** For a page of `limit` campaigns. The blocks of a large campaign are null. */
export const selectPage = (work: Work, where: SQL | undefined, limit: number) =>
  work.db
    .select({ ...columns, ...inShare({ blocks, mergeDefaults }, limit) })
    .from(campaigns)
    .innerJoin(campaignRuns, isOwnRun)
    .where(where)

/** For lists that are read again and again: without contents. */
export const selectRows = (work: Work, where: SQL | undefined) =>
  work.db
    .select({
      ...{ id: campaigns.id, name: campaigns.name, status: campaigns.status },
      ...{ scheduledAt: campaigns.scheduledAt, sentAt: campaigns.sentAt },
      ...{ updatedAt: campaigns.updatedAt, pausedReason: campaignRuns.pausedReason },
      counts: Object.fromEntries(CAMPAIGN_COUNTS.map((name) => [name, campaignRuns[name]])) as Pick<
        typeof campaignRuns,
        CountName
      >,
    })
    .from(campaigns)
    .innerJoin(campaignRuns, isOwnRun)
    .where(where)

export const selectCampaign = (work: Work, teamId: string | SQL, id: string) =>
  work.db
    .select(columns)
    .from(campaigns)
    .innerJoin(campaignRuns, isOwnRun)
    .where(isCampaign(teamId, id))

export const isCampaign = (teamId: string | SQL, id: string) =>
  and(eq(campaigns.teamId, teamId), eq(campaigns.id, id))

export const isRun = (teamId: string | SQL, id: string) =>
  and(eq(campaignRuns.teamId, teamId), eq(campaignRuns.campaignId, id))

export type CampaignRow = typeof campaigns.$inferSelect
export type CampaignWithRun = Awaited<ReturnType<typeof selectCampaign>>[number]

export function campaignOrNotFound<T extends { deletedAt: number | null }>(row: T | undefined): T {
  if (row === undefined || row.deletedAt !== null) throw notFound("Campaign")
  return row
}

export const toCampaign = (row: CampaignWithRun): Campaign => ({
  ...row,
  from: formatMailbox(row.sender),
  replyTo: row.replyTo && formatMailbox(row.replyTo),
  counts: Object.fromEntries(
    CAMPAIGN_COUNTS.map((name) => [name, row[name]]),
  ) as Campaign["counts"],
})
