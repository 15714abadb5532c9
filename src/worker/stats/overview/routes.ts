import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import { getStatsDelivery as deliveryContract } from "../delivery/contract.ts"
import { getStatsDelivery } from "../delivery/delivery.ts"
import * as contract from "./contract.ts"
import { getOverview } from "./overview.ts"

export function overviewRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getOverview, (ctx) => getOverview(ctx))
  route(app, deliveryContract, (ctx, { query }) => getStatsDelivery(ctx, query))
}
