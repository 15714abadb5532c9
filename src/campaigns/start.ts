import { and, eq, inArray, sql } from "drizzle-orm"
import { store } from "../db/overflow.ts"
import type { Ctx, Work } from "../env.ts"
import { ApiError, conflict, invalid } from "../http/errors.ts"
import { gzip } from "../lib/gzip.ts"
import { composeBody } from "./body.ts"
import { EDITABLE, hasStatus } from "./campaigns.ts"
import type { Campaign } from "./contract.ts"
import { enqueueCampaigns, LOOK_AGAIN_AFTER_MS } from "./queue.ts"
import { assertMaySendFrom, readReferences } from "./references.ts"
import { campaignRuns, campaigns } from "./table.ts"
import { type CampaignRow, found, isCampaign, isRun, selectCampaign, toCampaign } from "./view.ts"

export async function scheduleCampaign(
  ctx: Ctx,
  id: string,
  scheduledAt: number,
): Promise<Campaign> {
  if (scheduledAt <= ctx.now()) throw invalid(["scheduledAt"], "Must be in the future")
  const campaign = await readSendable(ctx, id, "scheduled")
  const { teamId } = campaign
  await readReferences(ctx, teamId, campaign)
  const [, , [row]] = await ctx.batch([
    ctx.db
      .update(campaignRuns)
      .set({ dueAt: scheduledAt, pausedReason: null })
      .where(and(isRun(teamId, id), hasStatus(ctx, id, EDITABLE))),
    ctx.db
      .update(campaigns)
      .set({ status: "scheduled", scheduledAt, updatedAt: ctx.now() })
      .where(and(isCampaign(teamId, id), inArray(campaigns.status, EDITABLE))),
    selectCampaign(ctx, teamId, id),
  ])
  const scheduled = found(row)
  if (scheduled.status !== "scheduled") throw cannotBe("scheduled", scheduled)
  ctx.defer(enqueueCampaigns(ctx, [{ teamId, campaignId: id, notBefore: scheduledAt }]))
  return toCampaign(scheduled)
}

export async function sendCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const row = await readSendable(ctx, id, "sent")
  const started = await startCampaign(ctx, { ...row, scheduledAt: null })
  if (!started) throw conflict("The campaign was changed or sent at the same time.")
  ctx.defer(enqueueCampaigns(ctx, [{ teamId: row.teamId, campaignId: id, notBefore: ctx.now() }]))
  const [[sending]] = await ctx.batch([selectCampaign(ctx, row.teamId, id)])
  return toCampaign(found(sending))
}

async function readSendable(ctx: Ctx, id: string, purpose: string) {
  const { team } = await ctx.caller()
  const [[row]] = await ctx.batch([selectCampaign(ctx, team.id, id)])
  const campaign = found(row)
  if (campaign.status !== "draft" && campaign.status !== "scheduled") {
    throw cannotBe(purpose, campaign)
  }
  await assertMaySendFrom(ctx, campaign.domainId)
  return campaign
}

const cannotBe = (purpose: string, { status }: { status: string }) =>
  conflict(`A campaign in status '${status}' cannot be ${purpose}.`)

/** At its time, without a caller: what cannot be sent any more is a draft again, and says why. */
export async function startScheduled(work: Work, row: CampaignRow): Promise<boolean> {
  try {
    return await startCampaign(work, row)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await work.db.batch([
      work.db
        .update(campaignRuns)
        .set({ dueAt: null, pausedReason: error.message })
        .where(and(isRun(row.teamId, row.id), isStillAsRead(row))),
      work.db.update(campaigns).set({ status: "draft", scheduledAt: null }).where(isAsRead(row)),
    ])
    return false
  }
}

/** Freezes what the campaign says and opens the fan-out, unless it was changed since it was read. */
async function startCampaign(work: Work, row: CampaignRow): Promise<boolean> {
  const { teamId, id } = row
  const { header, footer, team } = await readReferences(work, teamId, row)
  const body = composeBody({
    subject: row.subject,
    header: header?.blocks ?? [],
    blocks: row.blocks,
    footer: footer?.blocks ?? [],
    theme: row.theme ?? header?.theme ?? footer?.theme ?? null,
    sender: team,
  })
  const stored = await store(work.env, gzip(JSON.stringify(body)), `campaigns/${id}`)
  const [, , started] = await work.db.batch([
    work.db.run(sql`insert into campaign_bodies (team_id, campaign_id, body, object_key)
      select team_id, id, ${stored.body}, ${stored.objectKey} from campaigns
      where ${isAsRead(row)} on conflict do nothing`),
    work.db
      .update(campaignRuns)
      .set({ dueAt: work.now() + LOOK_AGAIN_AFTER_MS, pausedReason: null })
      .where(and(isRun(teamId, id), isStillAsRead(row))),
    work.db
      .update(campaigns)
      .set({ status: "sending", scheduledAt: row.scheduledAt })
      .where(isAsRead(row))
      .returning({ id: campaigns.id }),
  ])
  return started.length > 0
}

const isAsRead = ({ teamId, id, updatedAt }: CampaignRow) =>
  and(
    isCampaign(teamId, id),
    inArray(campaigns.status, EDITABLE),
    eq(campaigns.updatedAt, updatedAt),
  )

const isStillAsRead = (row: CampaignRow) =>
  sql`exists (select 1 from campaigns where ${isAsRead(row)})`
