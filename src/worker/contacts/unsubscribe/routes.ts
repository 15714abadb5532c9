import type { Context, Hono } from "hono"
import { accepts } from "hono/accepts"
import { createMiddleware } from "hono/factory"
import { countUnsubscribed } from "../../campaigns/counts.ts"
import { readBody } from "../../platform/http/body.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import { selectSender } from "../../teams/teams.ts"
import { UNSUBSCRIBE_REASONS } from "../shapes.ts"
import { unsubscribeAddress } from "../unsubscribe.ts"
import { readSubscriber } from "./link.ts"
import { askPage, badLinkPage, donePage, EVERY_BOOK } from "./page.ts"
import { LANGUAGES, type Language } from "./texts.ts"

const PATH = "/unsubscribe/:token"

/**
 * The link in campaign mail. A GET only asks, because scanners follow links. A POST ends the
 * subscription of the campaign's book, and of every book if the form says so.
 */
export function unsubscribeRoutes(app: Hono<HttpEnv>): void {
  app.use(PATH, keepPrivate)

  app.get(PATH, async (c) => {
    const work = createWork(c.env, c.executionCtx)
    const subscriber = readSubscriber(work.settings, c.req.param("token"))
    if (!subscriber) return badLink(c)
    const [sender] = await selectSender(work, subscriber.teamId)
    return c.html(askPage(languageOf(c), subscriber.email, sender))
  })

  app.post(PATH, async (c) => {
    const work = createWork(c.env, c.executionCtx)
    const subscriber = readSubscriber(work.settings, c.req.param("token"))
    if (!subscriber) return badLink(c)
    const { teamId, email, bookId, emailId = "" } = subscriber
    const form = await readForm(c.req.raw)
    const isBrowser = c.req.header("accept")?.includes("text/html") ?? false
    const by = isBrowser ? UNSUBSCRIBE_REASONS.link : UNSUBSCRIBE_REASONS.oneClick
    await unsubscribeAddress(work, {
      teamId,
      email,
      bookId: form.has(EVERY_BOOK) ? undefined : bookId,
      reason: by,
      actor: { by, actorId: null },
      alongside: (condition) => countUnsubscribed(work, { teamId, emailId }, condition),
    })
    if (!isBrowser) return c.text("Unsubscribed.")
    const [sender] = await selectSender(work, subscriber.teamId)
    return c.html(donePage(languageOf(c), email, sender))
  })
}

const MAX_FORM_BYTES = 4_096

/** A mail program's one-click body is not needed: its token says everything. */
async function readForm(request: Request): Promise<URLSearchParams> {
  const isForm = request.headers
    .get("content-type")
    ?.startsWith("application/x-www-form-urlencoded")
  if (!isForm) return new URLSearchParams()
  return new URLSearchParams(Buffer.from(await readBody(request, MAX_FORM_BYTES)).toString())
}

const badLink = (c: Context) => c.html(badLinkPage(languageOf(c)), 404)

const languageOf = (c: Context) =>
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
const keepPrivate = createMiddleware<HttpEnv>(async (c, next) => {
  await next()
  c.header("cache-control", "no-store")
  c.header("referrer-policy", "no-referrer")
  c.header("x-robots-tag", "noindex")
  c.header("vary", "accept-language")
  c.header(
    "content-security-policy",
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
})
