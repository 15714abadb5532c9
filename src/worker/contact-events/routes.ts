import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"

export function contactEventRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.sendEvents, async (ctx, { json }) =>
    (await import("./send.ts")).sendEvents(ctx, json),
  )
  route(app, contract.listContactEvents, async (ctx, { params, query }) =>
    (await import("./list.ts")).listContactEvents(ctx, params.id, params.contactId, query),
  )
}
