import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import * as contract from "../contract.ts"
import { sendEmailBatch } from "./batch.ts"
import { sendEmail } from "./send.ts"

export function acceptRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.sendEmail, (ctx, { json, headers }) =>
    sendEmail(ctx, json, headers["idempotency-key"]),
  )
  route(app, contract.sendEmailBatch, (ctx, { json, headers }) =>
    sendEmailBatch(ctx, json, headers["idempotency-key"]),
  )
}
