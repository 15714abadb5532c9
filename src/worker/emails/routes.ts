import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import { acceptRoutes } from "./accept/routes.ts"
import { cancelEmail } from "./cancel.ts"
import { checkEmail } from "./check/check.ts"
import * as checkContract from "./check/contract.ts"
import * as contentContract from "./content/contract.ts"
import * as contract from "./contract.ts"
import * as explainContract from "./explain/contract.ts"
import { explainEmail } from "./explain/explain.ts"
import { getEmail } from "./get.ts"
import * as listContract from "./list/contract.ts"
import { countEmails } from "./list/count.ts"
import { listEmails, readEmails } from "./list/list.ts"
import { readMarks } from "./list/marks.ts"
import * as rawContract from "./raw/contract.ts"
import { rescheduleEmail } from "./reschedule.ts"

/** Loaded when a person opens an email: it renders the mail of campaigns. */
const content = () => import("./content/content.ts")

export function emailRoutes(app: Hono<HttpEnv>): void {
  acceptRoutes(app)
  route(app, rawContract.sendRawEmail, async (ctx, input) => {
    const { sendRawEmail } = await import("./raw/send.ts")
    return sendRawEmail(ctx, input)
  })
  route(app, rawContract.getRawEmail, async (ctx, { params }) => {
    const { getRawEmail } = await import("./raw/get.ts")
    return getRawEmail(ctx, params.id)
  })
  route(app, contract.listEmails, (ctx, { query }) => listEmails(ctx, query))
  route(app, contract.getEmail, (ctx, { params, query }) =>
    getEmail(ctx, params.id, query.eventsCursor),
  )
  route(app, contract.rescheduleEmail, (ctx, { params, json }) =>
    rescheduleEmail(ctx, params.id, json.scheduledAt),
  )
  route(app, contract.cancelEmail, (ctx, { params }) => cancelEmail(ctx, params.id))
  route(app, checkContract.checkEmail, (ctx, { json, headers }) =>
    checkEmail(ctx, json, headers["idempotency-key"]),
  )
  route(app, explainContract.explainEmail, (ctx, { params }) => explainEmail(ctx, params.id))
}

/** For the dashboard only. */
export function contentRoutes(app: Hono<HttpEnv>): void {
  route(app, listContract.countEmails, (ctx, { query }) => countEmails(ctx, query))
  route(app, listContract.readEmails, (ctx, { query }) => readEmails(ctx, query.ids))
  route(app, listContract.readMarks, (ctx, { query }) => readMarks(ctx, query.ids))
  route(app, contentContract.getEmailContent, async (ctx, { params }) =>
    (await content()).getEmailContent(ctx, params.id),
  )
  route(app, contentContract.getEmailSource, async (ctx, { params }) =>
    (await content()).getEmailSource(ctx, params.id),
  )
  route(app, contentContract.getEmailAttachment, async (ctx, { params }) =>
    (await content()).getEmailAttachment(ctx, params.id, params.position),
  )
}
