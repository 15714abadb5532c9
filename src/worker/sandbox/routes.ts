import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import * as dashboard from "./dashboard-contract.ts"

export function sandboxRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.listSandboxMessages, async (ctx, { query }) =>
    (await import("./inbox.ts")).listSandboxMessages(ctx, query),
  )
}

/** For the dashboard only. */
export function inboxRoutes(app: Hono<HttpEnv>): void {
  route(app, dashboard.listInbox, async (ctx, { query }) =>
    (await import("./list.ts")).listInbox(ctx, query),
  )
}
