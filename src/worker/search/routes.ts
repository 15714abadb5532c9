import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import { getRecipient } from "./recipient.ts"
import { searchId } from "./search.ts"

export function searchRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.searchId, (ctx, { query }) => searchId(ctx, query))
  route(app, contract.getRecipient, (ctx, { params }) => getRecipient(ctx, params.email))
}
