import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import * as contract from "../members/contract.ts"
import { deleteTeam } from "./delete-team.ts"

export function deletionRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.deleteTeam, (ctx, { json }) => deleteTeam(ctx, json))
}
