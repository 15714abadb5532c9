import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"

export function imageRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createImage, async (ctx, { file }) => {
    const { createImage } = await import("./create.ts")
    return createImage(ctx, file)
  })
}
