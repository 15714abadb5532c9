import { createMiddleware } from "hono/factory"
import { newId } from "../lib/id.ts"
import type { HttpEnv } from "./route.ts"

/** `x-request-id` on every response; a caller's own is kept when it is harmless. */
export const requestId = createMiddleware<HttpEnv>(async (c, next) => {
  const theirs = c.req.header("x-request-id") ?? ""
  const id = /^[A-Za-z0-9_-]{1,64}$/.test(theirs) ? theirs : newId("request")
  c.set("requestId", id)
  await next()
  c.res.headers.set("x-request-id", id)
})
