import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"

export function erasureRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.eraseAddress, async (ctx, { json }) =>
    (await import("./erase.ts")).eraseAddress(ctx, json.email),
  )
}
