import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import * as contract from "./contract.ts"
import { listRefusedCalls } from "./list.ts"

export function refusedCallRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.listRefusedCalls, (ctx, { query }) => listRefusedCalls(ctx, query))
}
