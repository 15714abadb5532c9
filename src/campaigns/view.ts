import { and, eq, getTableColumns, type SQL } from "drizzle-orm"
import type { Work } from "../env.ts"
import { notFound } from "../http/errors.ts"
import { formatMailbox } from "../lib/address.ts"
import { CAMPAIGN_COUNTS, type Campaign } from "./contract.ts"
import { campaignRuns, campaigns } from "./table.ts"

const { teamId: _, campaignId: __, ...runColumns } = getTableColumns(campaignRuns)

const withRun = (work: Work) =>
  work.db
    .select({ ...getTableColumns(campaigns), ...runColumns })
    .from(campaigns)
    .innerJoin(
      campaignRuns,
      and(eq(campaignRuns.teamId, campaigns.teamId), eq(campaignRuns.campaignId, campaigns.id)),
    )

export const selectCampaigns = (work: Work, where: SQL | undefined) => withRun(work).where(where)

export const selectCampaign = (work: Work, teamId: string | SQL, id: string) =>
  selectCampaigns(work, isCampaign(teamId, id))

export const isCampaign = (teamId: string | SQL, id: string) =>
  and(eq(campaigns.teamId, teamId), eq(campaigns.id, id))

export const isRun = (teamId: string | SQL, id: string) =>
  and(eq(campaignRuns.teamId, teamId), eq(campaignRuns.campaignId, id))

export type CampaignRow = typeof campaigns.$inferSelect
export type CampaignWithRun = Awaited<ReturnType<typeof selectCampaign>>[number]

export function found<T extends { deletedAt: number | null }>(row: T | undefined): T {
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
