import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import { getStatsSeries } from "./series/series.ts"
import { getStats } from "./stats.ts"

export function statsRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getStats, (ctx) => getStats(ctx))
  route(app, contract.getStatsSeries, (ctx, { query }) => getStatsSeries(ctx, query))
}
