import { getSignedCookie } from "hono/cookie"
import { createMiddleware } from "hono/factory"
import { sessionCookieName, sessionSecret } from "../people/auth.ts"
import { notSignedIn, openSessionCtx } from "../people/session.ts"
import { openWork } from "../work.ts"
import { ApiError } from "./errors.ts"
import type { HttpEnv } from "./route.ts"

/** Calls of the dashboard: a session's cookie in place of an API key. */
export const sessionCookie = createMiddleware<HttpEnv>(async (c, next) => {
  c.set("openCtx", async (endpoint) => {
    const work = openWork(c.env, c.executionCtx)
    const { settings } = work
    const token = await getSignedCookie(c, sessionSecret(settings), sessionCookieName(settings))
    if (!token) throw notSignedIn()
    return openSessionCtx(work, token, c.req.header("x-team-id"), endpoint)
  })
  await next()
})

/**
 * A browser sends the cookie along with whatever a foreign page makes it post, and says where the
 * page came from; what says nothing is no browser.
 */
export const refuseCrossSite = createMiddleware<HttpEnv>(async (c, next) => {
  const origin = c.req.header("origin")
  const site = c.req.header("sec-fetch-site") ?? "none"
  const isSafe = c.req.method === "GET" || c.req.method === "HEAD"
  const isOurs =
    (origin === undefined || origin === new URL(c.req.url).origin) &&
    ["same-origin", "none"].includes(site)
  if (!isSafe && !isOurs) throw new ApiError("forbidden", "This call came from another site.")
  await next()
})
