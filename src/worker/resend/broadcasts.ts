import type { Hono } from "hono"
import { getCampaign, listCampaigns } from "../campaigns/campaigns.ts"
import { cancelCampaign } from "../campaigns/cancel.ts"
import * as contract from "../campaigns/contract.ts"
import { deleteCampaign } from "../campaigns/delete.ts"
import { scheduleCampaign, sendCampaign } from "../campaigns/start.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import type { Wire } from "../webhooks/resend-records.ts"
import { listQuery, toList, toPageQuery } from "./lists.ts"
import { members, serve, shown, toJson } from "./route.ts"

export function broadcastRoutes(app: Hono<HttpEnv>): void {
  const { listCampaigns: list, getCampaign: get, scheduleCampaign: schedule } = contract
  serve(app, "GET /broadcasts", list, { query: listQuery }, async (ctx, { query }) =>
    toList(shown(list, await listCampaigns(ctx, toPageQuery(query))), toListed),
  )
  serve(app, "GET /broadcasts/:id", get, {}, async (ctx, { params }) => {
    const campaign = shown(get, await getCampaign(ctx, params.id!))
    return {
      object: "broadcast",
      ...toListed(campaign),
      from: campaign.from,
      subject: campaign.subject,
      reply_to: campaign.replyTo === null ? null : [campaign.replyTo],
      preview_text: campaign.preheader,
      topic_id: campaign.topicId,
      html: null,
      text: null,
    }
  })
  const body = members("scheduled_at")
  serve(app, "POST /broadcasts/:id/send", schedule, { body }, async (ctx, { params, body }) => {
    const { scheduled_at: scheduledAt } = body
    // The Go library sends the empty text for a broadcast that is sent now.
    const isNow = scheduledAt === undefined || scheduledAt === ""
    const { id } = isNow
      ? await sendCampaign(ctx, params.id!)
      : await scheduleCampaign(ctx, params.id!, toJson(schedule, { scheduledAt }).scheduledAt)
    return { id }
  })
  const { cancelCampaign: cancel, deleteCampaign: remove } = contract
  serve(app, "POST /broadcasts/:id/cancel", cancel, {}, async (ctx, { params }) => {
    const { id } = await cancelCampaign(ctx, params.id!)
    return { object: "broadcast", id }
  })
  serve(app, "DELETE /broadcasts/:id", remove, {}, async (ctx, { params: { id = "" } }) => {
    await deleteCampaign(ctx, id)
    return { object: "broadcast", id, deleted: true }
  })
}

/** Resend has three statuses: a cancelled broadcast is a draft again. */
const STATUSES: Record<contract.CampaignStatus, string> = {
  draft: "draft",
  scheduled: "queued",
  sending: "queued",
  sent: "sent",
  cancelled: "draft",
}

const toListed = (campaign: Wire<typeof contract.campaign>) => ({
  id: campaign.id,
  name: campaign.name,
  segment_id: campaign.bookId,
  audience_id: campaign.bookId,
  status: STATUSES[campaign.status],
  created_at: campaign.createdAt,
  scheduled_at: campaign.scheduledAt,
  sent_at: campaign.sentAt,
})
