import type { Hono } from "hono"
import * as contract from "../emails/contract.ts"
import { type HttpEnv, route } from "../http/route.ts"
import { cancelEmail } from "./cancel.ts"

export function outcomeRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.cancelEmail, (ctx, { params }) => cancelEmail(ctx, params.id))
}
