import type { Hono } from "hono"
import { ApiError } from "../platform/http/errors.ts"
import { checkCaller, type HttpEnv } from "../platform/http/route.ts"

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ALL"

/** Calls of Resend's API that Edgepost does not have, with the reason or another way. */
const REFUSED: readonly [method: Method, path: string, reason: string][] = [
  ["ALL", "/events", "Events need no declaration: POST /api/v1/events takes any name."],
  ["GET", "/events/:name", "Events need no declaration: POST /api/v1/events takes any name."],
  ["PATCH", "/events/:name", "Events need no declaration: POST /api/v1/events takes any name."],
  ["DELETE", "/events/:name", "Events need no declaration: POST /api/v1/events takes any name."],
  ["ALL", "/inboxes/*", "GET /api/v1/inboxes lists inboxes, and POST makes one."],
  ["ALL", "/logs/*", "Edgepost keeps no log of calls."],
  ["ALL", "/usage", "Edgepost has no plans: GET /api/v1/stats counts what was sent."],
  ["ALL", "/oauth/*", "Edgepost has no OAuth grants."],
  ["PATCH", "/api-keys/:id", "A key keeps its name: create another key and revoke this one."],
  ["PATCH", "/domains/:id", "Tracking is a setting of the team, and TLS is used where offered."],
  ["ALL", "/domains/claim", "A domain belongs to the team that proves it first."],
  ["ALL", "/domains/:id/claim/*", "A domain belongs to the team that proves it first."],
  ["POST", "/emails/:id/share", "Emails are shown to the team only."],
  ["ALL", "/emails/:id/attachments/*", "Attachments are stored for sending only."],
  ["POST", "/broadcasts/:id/duplicate", "Campaigns are copied in the dashboard or by code."],
  ["GET", "/broadcasts/:id/recipients", "GET /api/v1/emails?campaignId=... lists its emails."],
  ["GET", "/broadcasts/:id/clicked-links", "Clicks are on the timelines of its emails."],
  ["POST", "/webhooks/:id/signing-secret/rotate", "Secrets are rotated in the dashboard only."],
  [
    "ALL",
    "/webhooks/:id/events/*",
    "Deliveries are in the dashboard. GET /api/v1/events lists events, and POST /api/v1/webhooks/:id/backfill sends what a webhook missed.",
  ],
]

/** Add these routes first: otherwise a word such as `claim` in `/domains/claim` is an id. */
export function refusedRoutes(app: Hono<HttpEnv>): void {
  for (const [method, path, reason] of REFUSED) {
    app.on(method, [path], async (c) => {
      await checkCaller(c, "unknown")
      throw new ApiError("method_not_allowed", reason)
    })
  }
}
