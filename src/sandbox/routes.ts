import type { Hono } from "hono"
import { type HttpEnv, route } from "../http/route.ts"
import * as contract from "./contract.ts"
import { listSandboxMessages } from "./inbox.ts"

export function sandboxRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.listSandboxMessages, (ctx, { query }) => listSandboxMessages(ctx, query))
}
