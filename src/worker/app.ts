import { Hono } from "hono"
import { bearerKey } from "./access/key-guard.ts"
import { keyRoutes } from "./access/keys/routes.ts"
import { authRoutes, sessionRoutes } from "./access/people/routes.ts"
import { refusedCallRoutes } from "./access/refused-calls/routes.ts"
import { refuseCrossSite, sessionCookie } from "./access/session-guard.ts"
import { layoutRoutes } from "./campaigns/layouts/routes.ts"
import { campaignRoutes, campaignRowRoutes } from "./campaigns/routes.ts"
import { contactEventRoutes } from "./contact-events/routes.ts"
import { consentRoutes, contactRoutes } from "./contacts/routes.ts"
import { docsRoutes } from "./docs.ts"
import { domainDnsRoutes, domainRoutes } from "./domains/routes.ts"
import { contentRoutes, emailRoutes } from "./emails/routes.ts"
import { trackingRoutes } from "./emails/tracking/routes.ts"
import { erasureRoutes } from "./erasure/routes.ts"
import { formRoutes } from "./forms/routes.ts"
import { makeHealth } from "./health.ts"
import { publicImages } from "./images/public.ts"
import { imageRoutes } from "./images/routes.ts"
import { mcpRoutes } from "./mcp/routes.ts"
import { onError } from "./platform/http/errors.ts"
import { everyResponse } from "./platform/http/every-response.ts"
import { dashboardFiles } from "./platform/http/pages/dashboard-files.ts"
import { onlyPost, refuseUnknown } from "./platform/http/pages/not-found.ts"
import type { HttpEnv } from "./platform/http/route.ts"
import { prepare } from "./platform/installation/prepare.ts"
import { originOf, preparedEnv } from "./platform/installation/prepared-env.ts"
import { API_PREFIX, AUTH_PREFIX, DASHBOARD_PREFIX, RESEND_PREFIX } from "./prefixes.ts"
import { sesRoutes } from "./providers/ses/routes.ts"
import { receivedRoutes } from "./received/routes.ts"
import { inboxRoutes, sandboxRoutes } from "./sandbox/routes.ts"
import { searchRoutes } from "./search/routes.ts"
import { segmentCountRoutes, segmentRoutes } from "./segments/routes.ts"
import { sequenceRoutes, sequenceRowRoutes } from "./sequences/routes.ts"
import { overviewRoutes } from "./stats/overview/routes.ts"
import { statsRoutes } from "./stats/routes.ts"
import { streamRoutes } from "./stream/routes.ts"
import { restoreRoutes, suppressionRoutes } from "./suppressions/routes.ts"
import { auditRoutes } from "./teams/audit/routes.ts"
import { deletionRoutes } from "./teams/deletion/routes.ts"
import { linkRoutes, memberRoutes } from "./teams/members/routes.ts"
import { teamRoutes } from "./teams/routes.ts"
import { draftRoutes, templateRoutes } from "./templates/routes.ts"
import { topicRoutes } from "./topics/routes.ts"
import { viewRoutes } from "./views/routes.ts"
import { deliveryRoutes, webhookRoutes } from "./webhooks/routes.ts"

/** Where the `resend` package finds its API. */

export function createApp(): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  let resend: Hono<HttpEnv> | undefined
  app.all(`${RESEND_PREFIX}/*`, async (c) => {
    // Most installations never need it: the first call loads it.
    resend ??= (await import("./resend/app.ts")).createResend(RESEND_PREFIX)
    return resend.fetch(c.req.raw, await prepare(c.env, originOf(c)), c.executionCtx)
  })
  app.use(everyResponse)

  const health = makeHealth()
  app.get("/health", async (c) => {
    const state = await health(c.env)
    return c.json(state, state.status === "ok" ? 200 : 503, { "cache-control": "no-store" })
  })
  docsRoutes(app)
  dashboardFiles(app)
  app.use(preparedEnv)
  app.get("/metrics", async (c) => (await import("./metrics.ts")).metrics(c))
  sesRoutes(app)
  trackingRoutes(app)
  recipientPages(app)
  formPages(app)
  publicImages(app)

  const api = new Hono<HttpEnv>()
  api.use(bearerKey)
  resourceRoutes(api)
  app.route(API_PREFIX, api)
  mcpRoutes(app)

  const auth = new Hono<HttpEnv>()
  auth.use(refuseCrossSite)
  authRoutes(auth)
  linkRoutes(auth)
  app.route(AUTH_PREFIX, auth)

  const dashboard = new Hono<HttpEnv>()
  dashboard.use(refuseCrossSite, sessionCookie)
  dashboardRoutes(dashboard)
  resourceRoutes(dashboard)
  app.route(DASHBOARD_PREFIX, dashboard)

  // Hono skips the rest of a middleware when the handler of unknown paths throws.
  app.notFound((c) => refuseUnknown(c, app.routes).catch((error) => onError(error, c)))
  app.onError(onError)
  return app
}

export const app = createApp()

/** Sending needs none of their texts in nine languages: the first call loads them. */
function recipientPages(app: Hono<HttpEnv>): void {
  let pages: Hono<HttpEnv> | undefined
  for (const path of ["/unsubscribe/:token", "/preferences/:token", "/confirm/:token"]) {
    app.on(["GET", "POST"], path, async (c) => {
      pages ??= (await import("./contacts/links/pages.ts")).createRecipientPages()
      return pages.fetch(c.req.raw, c.env, c.executionCtx)
    })
  }
}

function formPages(app: Hono<HttpEnv>): void {
  let pages: Hono<HttpEnv> | undefined
  app.on(["GET", "POST", "OPTIONS"], "/f/:id", async (c) => {
    pages ??= (await import("./forms/hosted/pages.ts")).createFormPages()
    return pages.fetch(c.req.raw, c.env, c.executionCtx)
  })
}

/** Calls that only a session may make. */
function dashboardRoutes(app: Hono<HttpEnv>): void {
  sessionRoutes(app)
  teamRoutes(app)
  memberRoutes(app)
  deletionRoutes(app)
  auditRoutes(app)
  overviewRoutes(app)
  searchRoutes(app)
  viewRoutes(app)
  domainDnsRoutes(app)
  consentRoutes(app)
  deliveryRoutes(app)
  inboxRoutes(app)
  contentRoutes(app)
  erasureRoutes(app)
  layoutRoutes(app)
  imageRoutes(app)
  draftRoutes(app)
  restoreRoutes(app)
  campaignRowRoutes(app)
  sequenceRowRoutes(app)
  segmentCountRoutes(app)
}

/** Calls that an API key and a session may make. */
function resourceRoutes(app: Hono<HttpEnv>): void {
  onlyPost(app, [
    "/emails/batch",
    "/emails/raw",
    "/emails/check",
    "/contact-books/:id/contacts/import",
  ])
  keyRoutes(app)
  refusedCallRoutes(app)
  emailRoutes(app)
  domainRoutes(app)
  templateRoutes(app)
  contactRoutes(app)
  segmentRoutes(app)
  topicRoutes(app)
  campaignRoutes(app)
  suppressionRoutes(app)
  webhookRoutes(app)
  statsRoutes(app)
  streamRoutes(app)
  sandboxRoutes(app)
  receivedRoutes(app)
  contactEventRoutes(app)
  sequenceRoutes(app)
  formRoutes(app)
}
