import type { Hono } from "hono"
import type { HttpEnv } from "../route.ts"

/** Frames with previews of messages inherit this policy. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ")

const PAGE_HEADERS = {
  "content-security-policy": POLICY,
  "referrer-policy": "same-origin",
  "cache-control": "no-cache",
}

/** Where received mail is shown with its remote images, once a person asks for them. */
const MAIL_PATH = "/dashboard/mail-with-images"
const MAIL_PAGE = "<!doctype html><meta charset=utf-8><title>Message</title>"
const MAIL_HEADERS = {
  "content-security-policy":
    "default-src 'none'; img-src https: http: data:; font-src data:; frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
}

const FILE = /^\/dashboard\/(assets\/.*|[a-z]+\.js)$/

/** All pages of the dashboard are this one file. Its script reads the path. */
export function dashboardFiles(app: Hono<HttpEnv>): void {
  app.get(MAIL_PATH, (c) => c.html(MAIL_PAGE, 200, MAIL_HEADERS))
  app.on("GET", ["/dashboard", "/dashboard/*"], async (c, next) => {
    const { pathname } = new URL(c.req.url)
    if (/^\/dashboard\/(api|auth)(\/|$)/.test(pathname)) return next()
    const isFile = FILE.test(pathname)
    const file = await c.env.ASSETS.fetch(new URL(isFile ? pathname : "/dashboard/", c.req.url))
    if (!file.ok) return next()
    if (isFile) return withCaching(pathname, new Response(file.body, file))
    return c.html(await file.text(), 200, PAGE_HEADERS)
  })
}

/** The names of assets change with their content. */
function withCaching(pathname: string, response: Response): Response {
  const isHashed = pathname.startsWith("/dashboard/assets/")
  const caching = isHashed ? "public, max-age=31536000, immutable" : "public, no-cache"
  response.headers.set("cache-control", caching)
  return response
}
