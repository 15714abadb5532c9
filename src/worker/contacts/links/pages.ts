import { Hono } from "hono"
import type { HttpEnv } from "../../platform/http/route.ts"
import { confirmationRoutes } from "../confirmation/routes.ts"
import { preferenceRoutes } from "../preferences/routes.ts"
import { unsubscribeRoutes } from "../unsubscribe/routes.ts"

/** The pages behind the links in mail. Errors are those of the app that loads them. */
export function createRecipientPages(): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  unsubscribeRoutes(app)
  preferenceRoutes(app)
  confirmationRoutes(app)
  app.onError((error) => {
    throw error
  })
  return app
}
