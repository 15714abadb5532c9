import type { Hono } from "hono"
import * as z from "zod"
import { parseMailbox } from "../../lib/address.ts"
import { escapeHtml } from "../../lib/html.ts"
import { toMergeFields } from "../../lib/resend-placeholders.ts"
import type { Block } from "../campaigns/blocks/contract.ts"
import {
  createCampaign,
  getCampaign,
  listCampaigns,
  updateCampaign,
} from "../campaigns/campaigns.ts"
import * as contract from "../campaigns/contract.ts"
import { deleteCampaign } from "../campaigns/delete.ts"
import { cancelCampaign, unscheduleCampaign } from "../campaigns/run/cancel.ts"
import * as run from "../campaigns/run/contract.ts"
import { scheduleCampaign, sendCampaign } from "../campaigns/run/start.ts"
import { readFallbacks } from "../contacts/properties/properties.ts"
import { selectDomains } from "../emails/check/facts.ts"
import type { Ctx } from "../platform/context.ts"
import { ApiError } from "../platform/http/errors.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import type { Wire } from "../webhooks/resend-records.ts"
import { ResendError, unsupported } from "./errors.ts"
import { listQuery, toList, toPageQuery } from "./lists.ts"
import { members, serve, serveRemoval, shown, toJson } from "./route.ts"

const written = z.string().nullish()
const contentMembers = members("name", "from", "topic_id").extend({
  segment_id: written,
  audience_id: written,
  subject: written,
  preview_text: written,
  html: written,
  text: written,
  reply_to: z.union([z.string(), z.array(z.string())]).nullish(),
})
type Content = z.output<typeof contentMembers>
const newMembers = contentMembers.extend({
  send: z.boolean().optional(),
  scheduled_at: z.unknown().optional(),
})

export function broadcastRoutes(app: Hono<HttpEnv>): void {
  const { listCampaigns: list, getCampaign: get } = contract
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
      ...writtenIn(campaign.blocks),
    }
  })
  const { createCampaign: create, updateCampaign: update } = contract
  serve(app, "POST /broadcasts", create, { body: newMembers }, async (ctx, { body }) => {
    const { send, scheduled_at: at } = body
    if (!send && isTime(at)) throw unsupported("scheduled_at", "Set `send`, too.")
    const content = await toCampaign(ctx, body, {})
    const { id } = await createCampaign(
      ctx,
      toJson(create, { ...content, name: content.name ?? content.subject }),
    )
    return send ? start(ctx, id, at) : { id }
  })
  serve(app, "PATCH /broadcasts/:id", update, { body: contentMembers }, async (ctx, asked) => {
    const old = await getCampaign(ctx, asked.params.id!)
    const { id } = await updateCampaign(
      ctx,
      old.id,
      toJson(update, await toCampaign(ctx, asked.body, old)),
    )
    return { id }
  })
  const body = members("scheduled_at")
  serve(app, "POST /broadcasts/:id/send", run.scheduleCampaign, { body }, (ctx, { params, body }) =>
    start(ctx, params.id!, body.scheduled_at),
  )
  const { deleteCampaign: remove } = contract
  serve(app, "POST /broadcasts/:id/cancel", run.cancelCampaign, {}, async (ctx, { params }) => {
    const { id, status } = await unscheduleCampaign(ctx, params.id!)
    if (status !== "draft") await cancelCampaign(ctx, id)
    return { object: "broadcast", id }
  })
  serveRemoval(app, "/broadcasts/:id", remove, "broadcast", deleteCampaign)
}

// The Go library sends the empty text for a broadcast that is sent now.
const isTime = (at: unknown) => at !== undefined && at !== ""

async function start(ctx: Ctx, broadcastId: string, scheduledAt: unknown) {
  const { id } = isTime(scheduledAt)
    ? await scheduleCampaign(
        ctx,
        broadcastId,
        toJson(run.scheduleCampaign, { scheduledAt }).scheduledAt,
      )
    : await sendCampaign(ctx, broadcastId)
  return { id }
}

/** The campaign's members that the body has. */
async function toCampaign(
  ctx: Ctx,
  body: Content,
  old: Partial<Pick<contract.Campaign, "blocks" | "mergeDefaults" | "domainId">>,
) {
  const before = writtenIn(old.blocks ?? [])
  const isOfText = before?.html === toBlock(undefined, before?.text ?? undefined).html
  const oldHtml = isOfText ? undefined : before?.html
  const texts = [body.subject, body.preview_text, body.html, body.text].map((text) =>
    toMergeFields(text ?? ""),
  )
  const [subject, previewText, html, text] = texts.map(({ text }) => text || undefined)
  const declared = await readFallbacks(ctx, [...new Set(texts.flatMap(({ open }) => open))])
  const defaults = Object.assign(
    Object.fromEntries([...declared].map(([key, value]) => [`properties.${key}`, value])),
    old.mergeDefaults,
    ...texts.map(({ defaults }) => defaults),
  )
  const content =
    html || text ? toBlock(html ?? oldHtml, text ?? before?.text ?? undefined) : undefined
  if (!content && !old.blocks) {
    throw new ResendError(422, "missing_required_field", "Missing `html` or `text` field.")
  }
  return {
    name: body.name || undefined,
    bookId: body.segment_id ?? body.audience_id ?? undefined,
    topicId: body.topic_id,
    from: body.from ?? undefined,
    domainId: await domainIdOf(ctx, body.from, old.domainId),
    replyTo: toReplyTo(body.reply_to),
    subject,
    preheader: body.preview_text === undefined ? undefined : (previewText ?? null),
    blocks: content && [content],
    mergeDefaults: Object.keys(defaults).length > 0 ? defaults : undefined,
  }
}

const toBlock = (html: string | undefined, text: string | undefined) => ({
  kind: "html",
  html: html ?? `<div>${escapeHtml(text ?? "").replace(/\r?\n/g, "<br>")}</div>`,
  text,
})

function toReplyTo(replyTo: Content["reply_to"]) {
  const [address, ...others] = [replyTo ?? []].flat()
  if (others.length > 0) throw unsupported("reply_to", "A broadcast has one address for replies.")
  return replyTo === undefined ? undefined : address || null
}

/** The html and text of a campaign that is made of html. */
function writtenIn(blocks: readonly Block[]) {
  const [block] = blocks
  if (blocks.length !== 1 || block?.kind !== "html") return undefined
  return { html: block.html, text: block.text ?? null }
}

/** The verified domain that an address sends from. */
export async function domainIdOf(ctx: Ctx, from: unknown, old = ""): Promise<string> {
  if (typeof from !== "string") return old
  const sender = parseMailbox(from)
  const [found] = sender ? await ctx.batch([selectDomains(ctx, { from: sender })]) : [[]]
  const domain = found.find(({ status }) => status === "verified")
  if (domain) return domain.id
  throw new ApiError("domain_not_verified", "The domain of `from` is not verified.")
}

/** Resend has three statuses. A broadcast that was cancelled while it was sent is none of them. */
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
