import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import * as contract from "./contract.ts"
import { createApiKey, getMe, listApiKeys, revokeApiKey } from "./keys.ts"

export function keyRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getMe, getMe)
  route(app, contract.createApiKey, (ctx, { json }) => createApiKey(ctx, json))
  route(app, contract.listApiKeys, (ctx, { query }) => listApiKeys(ctx, query))
  route(app, contract.revokeApiKey, (ctx, { params }) => revokeApiKey(ctx, params.id))
}
