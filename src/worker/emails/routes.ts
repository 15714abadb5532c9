import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import { sendEmail, sendEmailBatch } from "./accept/send.ts"
import * as contract from "./contract.ts"
import { getEmail } from "./get.ts"
import { listEmails } from "./list.ts"
import { rescheduleEmail } from "./reschedule.ts"

export function emailRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.sendEmail, (ctx, { json, headers }) =>
    sendEmail(ctx, json, headers["idempotency-key"]),
  )
  route(app, contract.sendEmailBatch, (ctx, { json, headers }) =>
    sendEmailBatch(ctx, json, headers["idempotency-key"]),
  )
  route(app, contract.listEmails, (ctx, { query }) => listEmails(ctx, query))
  route(app, contract.getEmail, (ctx, { params, query }) =>
    getEmail(ctx, params.id, query.eventsCursor),
  )
  route(app, contract.rescheduleEmail, (ctx, { params, json }) =>
    rescheduleEmail(ctx, params.id, json.scheduledAt),
  )
}
