import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import { listAuditLog } from "./audit-log.ts"
import * as contract from "./contract.ts"

export function auditRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.listAuditLog, (ctx, { query }) => listAuditLog(ctx, query))
}
