import type { Context, Hono } from "hono"
import { LOGO } from "../lib/logo.ts"
import { notFound } from "./platform/http/errors.ts"
import { exampleTimeAhead } from "./platform/http/example.ts"
import { DOCS_ASSETS, fromBuilt } from "./platform/http/openapi/built-docs.ts"
import type { HttpEnv } from "./platform/http/route.ts"
import { API_PREFIX } from "./prefixes.ts"

/** The page runs and loads its own files only. */
const PAGE_HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "same-origin",
  link: '</docs.md>; rel="alternate"; type="text/markdown", </llms.txt>; rel="describedby"',
}

const DAY_SECONDS = 86_400
const YEAR_SECONDS = 365 * DAY_SECONDS

/** The reference in its forms. `src/operations/reference/build-docs.ts` has built them from the contract. */
export function docsRoutes(app: Hono<HttpEnv>): void {
  app.get("/", (c) => c.redirect("/dashboard"))

  app.on("GET", ["/docs", "/docs/"], (c) => serve(c, "/docs/", "text/html", PAGE_HEADERS))
  app.get("/docs.md", (c) => serve(c, "/docs/reference.md", "text/markdown"))
  app.get("/llms.txt", (c) => serve(c, "/docs/llms.txt", "text/plain"))
  app.get(`${API_PREFIX}/openapi.json`, (c) => serve(c, "/docs/openapi.json", "application/json"))

  app.get(`${DOCS_ASSETS}:file`, async (c) => {
    const file = await c.env.ASSETS.fetch(c.req.url)
    if (!file.ok) throw notFound("Path")
    return cached(new Response(file.body, file), YEAR_SECONDS)
  })

  // npm compares the package with the hash in a lock file, so nobody gets a changed package unnoticed.
  app.get("/edgepost.tgz", async (c) => {
    const file = await c.env.ASSETS.fetch(c.req.raw)
    if (!file.ok && file.status !== 304) throw notFound("Path")
    const reply = new Response(file.body, file)
    reply.headers.set("cache-control", "public, no-cache")
    return reply
  })

  app.get("/favicon.ico", (c) =>
    cached(c.body(LOGO, 200, { "content-type": "image/svg+xml" }), DAY_SECONDS),
  )
}

/** For names that change with their content, and for the icon. */
function cached(response: Response, seconds: number): Response {
  const isImmutable = seconds === YEAR_SECONDS ? ", immutable" : ""
  response.headers.set("cache-control", `public, max-age=${seconds}${isImmutable}`)
  return response
}

/** A built document. It depends only on the origin and the day, and so does its tag. */
async function serve(
  c: Context<HttpEnv>,
  path: string,
  type: string,
  more: Record<string, string> = {},
): Promise<Response> {
  const { origin } = new URL(c.env.BASE_URL || c.req.url)
  const file = await c.env.ASSETS.fetch(new URL(path, origin))
  if (!file.ok) throw new Error(`The document ${path} is not built`)
  const hash = file.headers.get("etag")?.replace(/[^A-Za-z0-9]/g, "")
  const etag = `W/"${hash}-${exampleTimeAhead().slice(0, 10)}"`
  const headers = { ...more, etag, "cache-control": "public, no-cache" }
  if (c.req.header("if-none-match")?.includes(etag)) {
    await file.body?.cancel()
    return c.body(null, 304, headers)
  }
  const text = fromBuilt(await file.text(), origin)
  return c.body(text, 200, { ...headers, "content-type": `${type}; charset=utf-8` })
}
