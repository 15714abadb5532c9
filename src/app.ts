import { Hono } from "hono"
import { API_PREFIX, endpoints } from "./contract.ts"
import { emailRoutes } from "./emails/routes.ts"
import { bearerKey } from "./http/auth.ts"
import { docsPage } from "./http/docs.ts"
import { onError } from "./http/errors.ts"
import { refuseUnknown } from "./http/not-found.ts"
import { openApi } from "./http/openapi.ts"
import { requestId } from "./http/request-id.ts"
import type { HttpEnv } from "./http/route.ts"
import { keyRoutes } from "./keys/routes.ts"
import { sandboxRoutes } from "./providers/sandbox/routes.ts"
import { streamRoutes } from "./stream/routes.ts"
import { suppressionRoutes } from "./suppressions/routes.ts"

export function createApp(): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.use(requestId)

  app.get("/health", (c) => c.json({ status: "ok" }))
  app.get("/docs", (c) => c.html(docsPage(openApiAt(c.req.url))))
  app.get(`${API_PREFIX}/openapi.json`, (c) => c.json(openApiAt(c.req.url)))

  const api = new Hono<HttpEnv>()
  api.use(bearerKey)
  keyRoutes(api)
  emailRoutes(api)
  suppressionRoutes(api)
  streamRoutes(api)
  sandboxRoutes(api)
  app.route(API_PREFIX, api)

  app.notFound((c) => refuseUnknown(c, app.routes))
  app.onError(onError)
  return app
}

const openApiAt = (url: string) => openApi(endpoints, new URL(API_PREFIX, url).href)
