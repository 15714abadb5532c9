import { and, desc, eq, inArray, isNull, lt, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import { conflict } from "../http/errors.ts"
import { type Page, readCursor, toPage } from "../http/page.ts"
import { newId } from "../lib/id.ts"
import { canonicalJson } from "../lib/json.ts"
import type * as contract from "./contract.ts"
import type { Campaign } from "./contract.ts"
import { assertMaySendFrom, readReferences } from "./references.ts"
import { campaignRuns, campaigns } from "./table.ts"
import { found, isCampaign, isRun, selectCampaign, selectCampaigns, toCampaign } from "./view.ts"

export const EDITABLE = ["draft", "scheduled"] as const

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
  const [, , [created]] = await ctx.batch([
    ctx.db.insert(campaigns).values({ ...row, status: "draft" }),
    ctx.db.insert(campaignRuns).values({ teamId: team.id, campaignId: id }),
    selectCampaign(ctx, team.id, id),
  ])
  return toCampaign(found(created))
}

export async function listCampaigns(
  ctx: Ctx,
  query: InputOf<typeof contract.listCampaigns>["query"],
): Promise<Page<Campaign>> {
  const below = readCursor("campaign", query.cursor)
  const [rows] = await ctx.batch([
    selectCampaigns(
      ctx,
      and(
        eq(campaigns.teamId, ctx.team),
        isNull(campaigns.deletedAt),
        query.status && sql`unlikely(${eq(campaigns.status, query.status)})`,
        below ? lt(campaigns.id, below) : undefined,
      ),
    )
      .orderBy(desc(campaigns.id))
      .limit(query.limit + 1),
  ])
  const page = toPage(rows, query.limit)
  return { ...page, data: page.data.map(toCampaign) }
}

export async function getCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const [[row]] = await ctx.batch([selectCampaign(ctx, ctx.team, id)])
  return toCampaign(found(row))
}

/** A real change of a scheduled campaign takes it back to the drafts. */
export async function updateCampaign(
  ctx: Ctx,
  id: string,
  { from, ...changes }: InputOf<typeof contract.updateCampaign>["json"],
): Promise<Campaign> {
  const { team } = await ctx.caller()
  const [[row]] = await ctx.batch([selectCampaign(ctx, team.id, id)])
  const old = found(row)
  assertEditable(old)
  const changed = { ...old, ...changes, ...(from && { sender: from }) } as typeof old
  await readReferences(ctx, team.id, changed)
  await assertMaySendFrom(ctx, changed.domainId)
  if (canonicalJson(changed) === canonicalJson(old)) return toCampaign(old)
  const [, , [fresh]] = await ctx.batch([
    ctx.db
      .update(campaignRuns)
      .set({ dueAt: null, pausedReason: null })
      .where(and(isRun(team.id, id), hasStatus(ctx, id, EDITABLE))),
    ctx.db
      .update(campaigns)
      .set({
        ...changes,
        sender: changed.sender,
        status: "draft",
        scheduledAt: null,
        updatedAt: ctx.now(),
      })
      .where(and(isCampaign(team.id, id), inArray(campaigns.status, EDITABLE))),
    selectCampaign(ctx, team.id, id),
  ])
  const updated = found(fresh)
  assertEditable(updated)
  return toCampaign(updated)
}

function assertEditable({ status }: { status: Campaign["status"] }): void {
  if (status !== "draft" && status !== "scheduled") {
    throw conflict(`A campaign in status '${status}' can no longer be changed.`)
  }
}

/** For a statement on another table: whether the campaign has one of these statuses. */
export const hasStatus = (ctx: Ctx, id: string, statuses: readonly Campaign["status"][]): SQL =>
  sql`exists (select 1 from campaigns k where k.team_id = ${ctx.team} and k.id = ${id}
    and k.status in (select value from json_each(${JSON.stringify(statuses)})))`
