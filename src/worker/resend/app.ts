import { Hono } from "hono"
import { bearerKey } from "../access/key-guard.ts"
import { everyResponse } from "../platform/http/every-response.ts"
import { refuseUnknown } from "../platform/http/pages/not-found.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import { apiKeyRoutes } from "./api-keys.ts"
import { automationRoutes } from "./automations/automations.ts"
import { broadcastRoutes } from "./broadcasts.ts"
import { contactImportRoutes } from "./contacts/contact-imports.ts"
import { contactPropertyRoutes } from "./contacts/contact-properties.ts"
import { contactRoutes } from "./contacts/contacts.ts"
import { segmentRoutes } from "./contacts/segments.ts"
import { topicRoutes } from "./contacts/topics.ts"
import { domainRoutes } from "./domains.ts"
import { emailRoutes } from "./emails/emails.ts"
import { receivingRoutes } from "./emails/receiving.ts"
import { onResendError } from "./errors.ts"
import { metricRoutes } from "./metrics.ts"
import { refusedRoutes } from "./refused.ts"
import { suppressionRoutes } from "./suppressions.ts"
import { templateRoutes } from "./templates.ts"
import { webhookRoutes } from "./webhooks.ts"

/** Resend's API for the `resend` package: `RESEND_BASE_URL` leads here. */
export function createResend(prefix: string): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>().basePath(prefix)
  app.use(everyResponse, bearerKey)
  refusedRoutes(app)
  metricRoutes(app)
  receivingRoutes(app)
  emailRoutes(app)
  domainRoutes(app)
  apiKeyRoutes(app)
  topicRoutes(app)
  // Before contacts: otherwise `imports` is the id of one.
  contactImportRoutes(app)
  contactPropertyRoutes(app)
  contactRoutes(app)
  segmentRoutes(app)
  broadcastRoutes(app)
  automationRoutes(app)
  suppressionRoutes(app)
  templateRoutes(app)
  webhookRoutes(app)
  app.notFound((c) => refuseUnknown(c, app.routes).catch((error) => onResendError(error, c)))
  app.onError(onResendError)
  return app
}
