import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import { createImage } from "./create.ts"

export function imageRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createImage, (ctx, { file }) => createImage(ctx, file))
}
