import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import { getStatsDelivery as deliveryContract } from "../delivery/contract.ts"
import { getStatsDelivery } from "../delivery/delivery.ts"
import { listTemplateSends as sendsContract } from "../template-sends/contract.ts"
import { listTemplateSends } from "../template-sends/template-sends.ts"
import * as contract from "./contract.ts"
import { getOverview } from "./overview.ts"

export function overviewRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getOverview, (ctx) => getOverview(ctx))
  route(app, sendsContract, (ctx, { query }) => listTemplateSends(ctx, query))
  route(app, deliveryContract, (ctx, { query }) => getStatsDelivery(ctx, query))
}
