import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import { checkEmail } from "../check/check.ts"
import * as checkContract from "../check/contract.ts"
import { getEmailAttachment, getEmailContent, getEmailSource } from "../content/content.ts"
import * as contentContract from "../content/contract.ts"
import * as explainContract from "../explain/contract.ts"
import { explainEmail } from "../explain/explain.ts"

export function sendingRoutes(app: Hono<HttpEnv>): void {
  route(app, checkContract.checkEmail, (ctx, { json, headers }) =>
    checkEmail(ctx, json, headers["idempotency-key"]),
  )
  route(app, explainContract.explainEmail, (ctx, { params }) => explainEmail(ctx, params.id))
}

/** For the dashboard only. */
export function contentRoutes(app: Hono<HttpEnv>): void {
  route(app, contentContract.getEmailContent, (ctx, { params }) => getEmailContent(ctx, params.id))
  route(app, contentContract.getEmailSource, (ctx, { params }) => getEmailSource(ctx, params.id))
  route(app, contentContract.getEmailAttachment, (ctx, { params }) =>
    getEmailAttachment(ctx, params.id, params.position),
  )
}
