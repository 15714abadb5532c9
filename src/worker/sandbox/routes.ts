import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import * as dashboard from "./dashboard-contract.ts"
import { listSandboxMessages } from "./inbox.ts"
import { listInbox } from "./list.ts"

export function sandboxRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.listSandboxMessages, (ctx, { query }) => listSandboxMessages(ctx, query))
}

/** For the dashboard only. */
export function inboxRoutes(app: Hono<HttpEnv>): void {
  route(app, dashboard.listInbox, (ctx, { query }) => listInbox(ctx, query))
}
