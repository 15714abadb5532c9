import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm"
import { campaignOrNotFound, selectCampaign } from "../../campaigns/view.ts"
import type { Ctx } from "../../platform/context.ts"
import { orNotFound } from "../../platform/http/errors.ts"
import { type Page, type PageQuery, parseCursor, writeCursor } from "../../platform/http/page.ts"
import { templates } from "../../templates/table.ts"
import { isTemplate } from "../../templates/templates.ts"
import { linkClicks } from "../table.ts"
import type { LinkClicks } from "./contract.ts"

const { teamId, ownerId, url, clicks, recipients } = linkClicks

export async function listCampaignLinks(ctx: Ctx, id: string, query: PageQuery) {
  const [[campaign], rows] = await ctx.batch([
    selectCampaign(ctx, ctx.team, id),
    selectLinks(ctx, sql`${id}`, query),
  ])
  campaignOrNotFound(campaign)
  return toPage(rows, query.limit)
}

export async function listTemplateLinks(ctx: Ctx, slugOrId: string, query: PageQuery) {
  const template = ctx.db
    .select({ id: templates.id })
    .from(templates)
    .where(isTemplate(ctx, slugOrId))
  const [[found], rows] = await ctx.batch([template, selectLinks(ctx, sql`${template}`, query)])
  orNotFound(found, "Template")
  return toPage(rows, query.limit)
}

/** Sorts all links of the owner, which are few. */
function selectLinks({ db, team }: Ctx, owner: SQL, { limit, cursor }: PageQuery) {
  const last = parseCursor(cursor, readPlace)
  const isAfter = last && sql`(-${clicks}, ${url}) > (${-last.clicks}, ${last.url})`
  return db
    .select({ url, clicks, recipients })
    .from(linkClicks)
    .where(and(eq(teamId, team), sql`${ownerId} = ${owner}`, isAfter))
    .orderBy(desc(clicks), asc(url))
    .limit(limit + 1)
}

function readPlace(place: string) {
  const [, count, url = ""] = /^(\d{1,12}) (.*)$/s.exec(place) ?? []
  return count !== undefined && { clicks: Number(count), url }
}

function toPage(rows: (LinkClicks & { url: string })[], limit: number): Page<LinkClicks> {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    data: rows.slice(0, limit).map((row) => ({ ...row, url: row.url || null })),
    nextCursor: last ? writeCursor(`${last.clicks} ${last.url}`) : null,
  }
}
