import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import * as contract from "./contract.ts"
import { getOverview } from "./overview.ts"

export function overviewRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getOverview, (ctx) => getOverview(ctx))
}
