import type { Context } from "hono"
import { accepts } from "hono/accepts"
import { createMiddleware } from "hono/factory"
import { readBody } from "../../platform/http/input/body.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { badLinkPage } from "../unsubscribe/page.ts"
import { LANGUAGES, type Language } from "../unsubscribe/texts.ts"

/** An empty form for any other content type: a one-click body is not needed. */
export async function readForm(request: Request, maxBytes: number): Promise<URLSearchParams> {
  const isForm = request.headers
    .get("content-type")
    ?.startsWith("application/x-www-form-urlencoded")
  if (!isForm) return new URLSearchParams()
  return new URLSearchParams(Buffer.from(await readBody(request, maxBytes)).toString())
}

export const badLink = (c: Context) => c.html(badLinkPage(languageOf(c)), 404)

export const languageOf = (c: Context) =>
  accepts(c, {
    header: "Accept-Language",
    supports: LANGUAGES,
    default: "en",
    match: (accepted, { supports }) =>
      accepted
        .filter(({ q }) => q > 0)
        .map(({ type }) => type.toLowerCase().split("-")[0] ?? "")
        .find((language) => supports.includes(language)) ?? "en",
  }) as Language

/** The page and its URL contain the address, so neither may be stored or passed on. */
export const keepPrivate = createMiddleware<HttpEnv>(async (c, next) => {
  await next()
  c.header("cache-control", "no-store")
  c.header("referrer-policy", "no-referrer")
  c.header("x-robots-tag", "noindex")
  c.header("vary", "accept-language")
  if (!c.res.headers.has("content-security-policy")) setPolicy(c)
})

interface Reached {
  /** Where the form leads. That page may redirect to any host, and browsers check each of them. */
  target?: string | null | undefined
  image?: string | undefined
}

/** What the page may reach beside itself. */
export function setPolicy(c: Context, { target, image }: Reached = {}): void {
  const images = image ? `img-src ${new URL(image).origin}; ` : ""
  const forms = target ? "'self' http: https:" : "'self'"
  c.header(
    "content-security-policy",
    `default-src 'none'; style-src 'unsafe-inline'; ${images}form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`,
  )
}
