import { createMiddleware } from "hono/factory"
import { matchedRoutes } from "hono/route"
import { newId } from "../../../lib/id.ts"
import { log } from "../../../lib/log.ts"
import type { HttpEnv } from "./route.ts"

/** A slower request is logged with the time that it waited for the database and for providers. */
const SLOW_MS = 2_000

const YEAR_SECONDS = 365 * 86_400

/** Sets the headers of every response. Keeps the caller's `x-request-id` if it is valid. */
export const everyResponse = createMiddleware<HttpEnv>(async (c, next) => {
  const theirs = c.req.header("x-request-id") ?? ""
  const id = /^[A-Za-z0-9_-]{1,64}$/.test(theirs) ? theirs : newId("request")
  c.set("requestId", id)
  const startedAt = Date.now()
  await next()
  c.res.headers.set("x-request-id", id)
  c.res.headers.set("x-content-type-options", "nosniff")
  if (new URL(c.req.url).protocol === "https:") {
    c.res.headers.set("strict-transport-security", `max-age=${YEAR_SECONDS}`)
  }
  // Only what says that it is public may be stored.
  if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store")
  const ms = Date.now() - startedAt
  const { status } = c.res
  if (status < 500 && ms < SLOW_MS) return
  // Logs the route, since a path may contain addresses and tokens.
  const about = {
    requestId: id,
    method: c.req.method,
    route: routeOf(matchedRoutes(c)),
    status,
    ms,
  }
  if (status >= 500) log("error", about, c.get("failure"))
  else log("warn", { ...about, slow: true })
})

const routeOf = (routes: readonly { path: string }[]) => routes.at(-1)?.path ?? ""
