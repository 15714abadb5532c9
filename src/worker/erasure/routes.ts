import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import { eraseAddress } from "./erase.ts"

export function erasureRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.eraseAddress, (ctx, { json }) => eraseAddress(ctx, json.email))
}
