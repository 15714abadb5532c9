import { Hono } from "hono"
import { bearerKey } from "./access/key-guard.ts"
import { acceptRoutes } from "./emails/accept/routes.ts"
import { onError } from "./platform/http/errors.ts"
import { everyResponse } from "./platform/http/every-response.ts"
import type { HttpEnv } from "./platform/http/route.ts"
import { preparedEnv } from "./platform/installation/prepared-env.ts"
import { API_PREFIX } from "./prefixes.ts"

/** The calls that send. Only they are evaluated at the start of the Worker, so that they never wait for the others. */
export function createSends(): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>().basePath(API_PREFIX)
  app.use(everyResponse, preparedEnv, bearerKey)
  acceptRoutes(app)
  app.onError(onError)
  return app
}
