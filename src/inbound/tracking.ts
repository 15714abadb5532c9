import type { Context, Hono } from "hono"
import type { Work } from "../env.ts"
import { notFound } from "../http/errors.ts"
import type { HttpEnv } from "../http/route.ts"
import type { EmailRef } from "../queues/messages.ts"
import { CLICK_PATH, OPEN_PATH, readClick, readOpen } from "../tracking/links.ts"
import { openWork } from "../work.ts"
import { recordHit } from "./tracking-hits.ts"

const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64")
const NO_STORE = { "cache-control": "no-store" }

/** Public, on every hostname that leads here: whoever has the mail follows these links. */
export function trackingRoutes(app: Hono<HttpEnv>): void {
  app.get(`${OPEN_PATH}:token`, (c) => {
    const work = openWork(c.env, c.executionCtx)
    const email = readOpen(work.settings, c.req.param("token"))
    if (!email) throw notFound("Link")
    count(c, work, email)
    return c.body(PIXEL, 200, { ...NO_STORE, "content-type": "image/gif" })
  })

  app.get(`${CLICK_PATH}:token`, (c) => {
    const work = openWork(c.env, c.executionCtx)
    const click = readClick(work.settings, c.req.param("token"))
    if (!click) throw notFound("Link")
    count(c, work, click, click.url)
    return c.body(null, 302, { ...NO_STORE, location: new URL(click.url).href })
  })
}

/** Programs that look a link over before a person does ask with HEAD: that is no hit. */
function count(c: Context<HttpEnv>, work: Work, email: EmailRef, url?: string) {
  if (c.req.method === "HEAD") return
  const visitor = {
    userAgent: c.req.header("user-agent") ?? "",
    ip: c.req.header("cf-connecting-ip") ?? "",
  }
  recordHit(work, email, visitor, url)
}
