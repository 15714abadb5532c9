import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import * as links from "./links/contract.ts"
import { listCampaignLinks, listTemplateLinks } from "./links/list-links.ts"
import { getStatsSeries } from "./series/series.ts"
import { getStats } from "./stats.ts"

export function statsRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getStats, (ctx) => getStats(ctx))
  route(app, contract.getStatsSeries, (ctx, { query }) => getStatsSeries(ctx, query))
  route(app, links.listCampaignLinks, (ctx, { params, query }) =>
    listCampaignLinks(ctx, params.id, query),
  )
  route(app, links.listTemplateLinks, (ctx, { params, query }) =>
    listTemplateLinks(ctx, params.slugOrId, query),
  )
}
