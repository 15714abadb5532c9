import { createMiddleware } from "hono/factory"
import { newId } from "../lib/id.ts"
import type { HttpEnv } from "./route.ts"

/** Sets the headers of every response. Keeps the caller's `x-request-id` if it is valid. */
export const everyResponse = createMiddleware<HttpEnv>(async (c, next) => {
  const theirs = c.req.header("x-request-id") ?? ""
  const id = /^[A-Za-z0-9_-]{1,64}$/.test(theirs) ? theirs : newId("request")
  c.set("requestId", id)
  await next()
  c.res.headers.set("x-request-id", id)
  c.res.headers.set("x-content-type-options", "nosniff")
})
