import { Hono } from "hono"
import type { HttpEnv } from "../../platform/http/route.ts"
import { hostedRoutes } from "./routes.ts"

/** Errors are those of the app that loads the page. */
export function createFormPages(): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  hostedRoutes(app)
  app.onError((error) => {
    throw error
  })
  return app
}
