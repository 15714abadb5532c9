import type { Hono } from "hono"
import { API_PREFIX } from "../contract.ts"
import type { HttpEnv } from "../http/route.ts"

const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'",
}

const DAY_SECONDS = 86_400

/** The pages for people. Their code is loaded on first use. */
export function docsRoutes(app: Hono<HttpEnv>): void {
  app.get("/", (c) => c.redirect("/dashboard"))

  app.on("GET", ["/docs", "/docs/"], async (c) => {
    const { docsPage } = await import("./page.ts")
    return c.html(await docsPage(new URL(c.req.url).origin), 200, PAGE_HEADERS)
  })

  app.get(`${API_PREFIX}/openapi.json`, async (c) => {
    const { openApiText } = await import("./document.ts")
    const text = openApiText(new URL(c.req.url).origin)
    return c.body(text, 200, { "content-type": "application/json" })
  })

  app.get("/favicon.ico", (c) =>
    c.body(ICON, 200, {
      "content-type": "image/svg+xml",
      "cache-control": `public, max-age=${DAY_SECONDS}`,
    }),
  )
}

/** An envelope. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b57d0"/><path d="M6 10h20v13H6z M6 10l10 8 10-8" fill="none" stroke="#fff" stroke-width="2.5" stroke-linejoin="round"/></svg>'
