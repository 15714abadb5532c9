import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import { openStream } from "./connect.ts"
import * as contract from "./contract.ts"

export function streamRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.openStream, (ctx, { headers, query }) =>
    openStream(ctx, headers["last-event-id"], query.include),
  )
}
