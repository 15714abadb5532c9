import type { Context, Hono } from "hono"
import type { Work } from "../../platform/context.ts"
import { DIRECTORY, workIn } from "../../platform/db/databases.ts"
import { notFound } from "../../platform/http/errors.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import type { EmailRef } from "../messages.ts"
import { recordHit } from "./hits.ts"
import { CLICK_PATH, OPEN_PATH, readClick, readOpen } from "./links.ts"

const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64")
const NO_STORE = { "cache-control": "no-store" }

/** Public on every hostname of this Worker: anybody who has the mail follows these links. */
export function trackingRoutes(app: Hono<HttpEnv>): void {
  app.get(`${OPEN_PATH}:token`, (c) => {
    const work = createWork(c.env, c.executionCtx)
    const email = readOpen(work.settings, c.req.param("token"))
    if (!email) throw notFound("Link")
    count(c, work, email)
    return c.body(PIXEL, 200, { ...NO_STORE, "content-type": "image/gif" })
  })

  app.get(`${CLICK_PATH}:token`, (c) => {
    const work = createWork(c.env, c.executionCtx)
    const click = readClick(work.settings, c.req.param("token"))
    if (!click) throw notFound("Link")
    count(c, work, click, click.url)
    return c.body(null, 302, { ...NO_STORE, location: new URL(click.url).href })
  })
}

/** A HEAD request is not a hit: link checkers send it before a person follows the link. */
function count(c: Context<HttpEnv>, work: Work, email: EmailRef, url?: string) {
  if (c.req.method === "HEAD") return
  const { database = DIRECTORY } = email
  const visitor = {
    userAgent: c.req.header("user-agent") ?? "",
    ip: c.req.header("cf-connecting-ip") ?? "",
  }
  recordHit(workIn(work, database), email, visitor, url)
}
