import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import { getInstallation, getTeam, updateTeam } from "./teams.ts"
import * as usage from "./usage-contract.ts"

export function teamRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getTeam, getTeam)
  route(app, contract.updateTeam, (ctx, { json }) => updateTeam(ctx, json))
  route(app, usage.getUsage, async (ctx) => (await import("./usage.ts")).getUsage(ctx))
  route(app, contract.getInstallation, getInstallation)
}
