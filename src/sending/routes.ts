import type { Hono } from "hono"
import { type HttpEnv, route } from "../http/route.ts"
import { checkEmail } from "./check/check.ts"
import * as checkContract from "./check/contract.ts"
import * as explainContract from "./explain/contract.ts"
import { explainEmail } from "./explain/explain.ts"

export function sendingRoutes(app: Hono<HttpEnv>): void {
  route(app, checkContract.checkEmail, (ctx, { json, headers }) =>
    checkEmail(ctx, json, headers["idempotency-key"]),
  )
  route(app, explainContract.explainEmail, (ctx, { params }) => explainEmail(ctx, params.id))
}
