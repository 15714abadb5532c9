import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import { cancelEmail } from "../cancel.ts"
import * as contract from "../contract.ts"

export function outcomeRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.cancelEmail, (ctx, { params }) => cancelEmail(ctx, params.id))
}
