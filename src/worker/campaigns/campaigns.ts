import { and, eq, isNull, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { canonicalJson } from "../../lib/json.ts"
import { untilWon } from "../../lib/until-won.ts"
import { assertMaySendFrom } from "../access/may-send-from.ts"
import type { Ctx } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf, OutputOf } from "../platform/http/endpoint.ts"
import { conflict } from "../platform/http/errors.ts"
import { isInRange, pageOrder } from "../platform/http/list.ts"
import { type Page, type PageQuery, toPage } from "../platform/http/page.ts"
import { lightRows, toLightPage } from "../platform/http/pages/light-page.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import type * as contract from "./contract.ts"
import type { Campaign } from "./contract.ts"
import type { listCampaignRows as listRows } from "./dashboard-contract.ts"
import { readReferences } from "./references.ts"
import { isAsRead, isEditable, moveStatements, nextUpdate } from "./run/move.ts"
import { campaignRuns, campaigns } from "./table.ts"
import {
  type CampaignRow,
  type CampaignWithRun,
  campaignOrNotFound,
  selectCampaign,
  selectPage,
  selectRows,
  toCampaign,
} from "./view.ts"

export async function createCampaign(
  ctx: Ctx,
  { from, ...input }: InputOf<typeof contract.createCampaign>["json"],
): Promise<Campaign> {
  const { team } = await ctx.caller()
  const now = ctx.now()
  const id = newId("campaign", now)
  const row = { ...input, sender: from, teamId: team.id, id, createdAt: now, updatedAt: now }
  await readReferences(ctx, team.id, row)
  await assertMaySendFrom(ctx, row.domainId)
  const { created } = await commit(ctx, {
    campaign: ctx.db.insert(campaigns).values({ ...row, status: "draft" }),
    audit: await auditEntry(ctx, "campaigns.create", { id, label: input.name }),
    run: ctx.db.insert(campaignRuns).values({ teamId: team.id, campaignId: id }),
    created: selectCampaign(ctx, team.id, id),
  })
  return toCampaign(campaignOrNotFound(created[0]))
}

type ListQuery = InputOf<typeof contract.listCampaigns>["query"] & PageQuery

const isListed = (ctx: Ctx, query: ListQuery) =>
  and(
    eq(campaigns.teamId, ctx.team),
    isNull(campaigns.deletedAt),
    query.status && sql`unlikely(${eq(campaigns.status, query.status)})`,
    isInRange(campaigns.id, "campaign", query),
  )

export async function listCampaigns(ctx: Ctx, query: ListQuery): Promise<Page<Campaign>> {
  const [rows] = await ctx.batch([
    selectPage(ctx, isListed(ctx, query), query.limit)
      .orderBy(pageOrder(campaigns.id, query))
      .limit(query.limit + 1),
  ])
  const isWhole = (row: (typeof rows)[number]): row is CampaignWithRun => row.blocks !== null
  const light = lightRows(rows, query.limit, isWhole, async ({ id }) => {
    return (await ctx.batch([selectCampaign(ctx, ctx.team, id)]))[0]
  })
  const page = toLightPage(rows, query, await light)
  return { ...page, data: page.data.map(toCampaign) }
}

export async function listCampaignRows(
  ctx: Ctx,
  query: ListQuery,
): Promise<OutputOf<typeof listRows>> {
  const [rows] = await ctx.batch([
    selectRows(ctx, isListed(ctx, query))
      .orderBy(pageOrder(campaigns.id, query))
      .limit(query.limit + 1),
  ])
  return toPage(rows, query.limit)
}

export async function getCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const [[row]] = await ctx.batch([selectCampaign(ctx, ctx.team, id)])
  return toCampaign(campaignOrNotFound(row))
}

/** A change makes a scheduled campaign a draft again. */
export async function updateCampaign(
  ctx: Ctx,
  id: string,
  { from, ...changes }: InputOf<typeof contract.updateCampaign>["json"],
): Promise<Campaign> {
  const { team } = await ctx.caller()
  // What is stored is what was checked: another call may change the campaign meanwhile.
  return untilWon(async () => {
    const [[row]] = await ctx.batch([selectCampaign(ctx, team.id, id)])
    const old = campaignOrNotFound(row)
    assertEditable(old)
    const changed = { ...old, ...changes, ...(from && { sender: from }) } as typeof old
    await readReferences(ctx, team.id, changed)
    await assertMaySendFrom(ctx, changed.domainId)
    if (canonicalJson(changed) === canonicalJson(old)) return toCampaign(old)
    const { moved, updated } = await commit(ctx, {
      ...moveStatements(ctx, old, isAsRead(old), {
        campaign: {
          ...changes,
          ...(from && { sender: from }),
          status: "draft",
          scheduledAt: null,
          updatedAt: nextUpdate(ctx),
        },
        run: { dueAt: null },
      }),
      audit: await auditEntry(ctx, "campaigns.update", { id }),
      updated: selectCampaign(ctx, team.id, id),
    })
    return moved.length > 0 ? toCampaign(campaignOrNotFound(updated[0])) : undefined
  })
}

function assertEditable(campaign: CampaignRow): void {
  if (!isEditable(campaign)) {
    throw conflict(`A campaign in status '${campaign.status}' can no longer be changed.`)
  }
}
