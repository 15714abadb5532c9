import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { timestamp, timestampInput, timestampQuery } from "../platform/http/shapes.ts"
import { event } from "./contract.ts"
import { DELIVERY_STATES, EVENT_TYPES } from "./events/types.ts"

const deliveryExample = {
  id: exampleId("delivery"),
  webhookId: exampleId("webhook"),
  eventId: exampleId("event"),
  eventType: "email.delivered",
  state: "succeeded",
  attemptCount: 1,
  nextAttemptAt: null,
  createdAt: EXAMPLE_TIME,
  completedAt: EXAMPLE_TIME,
}

export const delivery = z
  .object({
    id: z.string(),
    webhookId: z.string(),
    eventId: z.string(),
    eventType: z.enum(EVENT_TYPES),
    state: z.enum(DELIVERY_STATES),
    attemptCount: z.int(),
    nextAttemptAt: timestamp.nullable(),
    createdAt: timestamp,
    completedAt: timestamp.nullable(),
  })
  .meta({ id: "Delivery", example: deliveryExample })
export type Delivery = z.output<typeof delivery>

export const attempt = z
  .object({
    number: z.int(),
    startedAt: timestamp,
    durationMs: z.int(),
    statusCode: z.int().nullable(),
    error: z.string().nullable().describe("Why there is no status code."),
    responseExcerpt: z.string().nullable().describe("The first 500 bytes of the answer."),
  })
  .meta({
    example: {
      number: 1,
      startedAt: EXAMPLE_TIME,
      durationMs: 84,
      statusCode: 200,
      error: null,
      responseExcerpt: "ok",
    },
  })
export type Attempt = z.output<typeof attempt>

/** The body that the webhook gets, in its format. */
const payload = z
  .looseObject({ type: z.string(), data: z.record(z.string(), z.unknown()) })
  .meta({ example: event.meta()?.example })

const inDashboard = { access: "session", tag: "Deliveries" } as const

export const listDeliveries = endpoint({
  ...inDashboard,
  name: "deliveries.list",
  call: "GET /webhooks/:id/deliveries",
  dashboardRole: "member",
  summary: "List a webhook's deliveries, newest first",
  description:
    "With `state` a page looks through at most 1,000 deliveries, so a short page may have a `nextCursor`.",
  query: pageQuery.extend({
    state: z
      .enum(DELIVERY_STATES)
      .optional()
      .describe("`failed` also finds those given up, which are `exhausted`."),
  }),
  response: pageOf(
    delivery
      .extend({
        about: z
          .string()
          .nullable()
          .describe("The address, domain or campaign of the event. Null: a test."),
      })
      .meta({ id: "ListedDelivery", example: { ...deliveryExample, about: "ada@example.com" } }),
  ),
})
export type ListedDelivery = z.output<typeof listDeliveries.response>["data"][number]

export const listEmailDeliveries = endpoint({
  ...inDashboard,
  name: "deliveries.ofEmail",
  call: "GET /emails/:id/deliveries",
  summary: "List what webhooks were told of an email",
  description:
    "The deliveries of its newest 20 events, newest first, at most 100. Replays are listed with their webhook.",
  response: z.object({
    data: z.array(
      delivery
        .extend({ url: z.string() })
        .meta({ example: { ...deliveryExample, url: "https://example.com/hooks" } }),
    ),
  }),
})

export const getDelivery = endpoint({
  ...inDashboard,
  name: "deliveries.get",
  call: "GET /deliveries/:id",
  dashboardRole: "member",
  summary: "Read a delivery with its payload and attempts",
  response: delivery.extend({ payload, attempts: z.array(attempt) }).meta({
    example: {
      ...deliveryExample,
      payload: event.meta()?.example,
      attempts: [attempt.meta()?.example],
    },
  }),
})

export const getDeliveryRequest = endpoint({
  ...inDashboard,
  name: "deliveries.request",
  call: "GET /deliveries/:id/request",
  summary: "Read what the attempts of a delivery send",
  description:
    "`url` is the webhook's of now. Signatures are not stored, so the headers come without them. An erasure also changes the body.",
  response: z
    .object({
      url: z.string(),
      body: z.string(),
      attempts: z.array(z.object({ number: z.int(), headers: z.record(z.string(), z.string()) })),
    })
    .meta({
      example: {
        url: "https://example.com/hooks/edgepost",
        body: JSON.stringify(event.meta()?.example),
        attempts: [
          {
            number: 1,
            headers: { "webhook-id": exampleId("event"), "webhook-timestamp": "1767225600" },
          },
        ],
      },
    }),
})

export const replayDelivery = endpoint({
  ...inDashboard,
  name: "deliveries.replay",
  audit: false,
  call: "POST /deliveries/:id/replay",
  summary: "Deliver the same event again",
  description: "A new delivery of the same event, under the same event id.",
  refuses: { conflict: "The webhook is disabled." },
  status: 202,
  response: z
    .object({ deliveryId: z.string() })
    .meta({ example: { deliveryId: exampleId("delivery") } }),
})

export const replayFailed = endpoint({
  ...inDashboard,
  name: "deliveries.replayFailed",
  call: "POST /webhooks/:id/replay-failed",
  summary: "Deliver again what failed",
  description:
    "Of the deliveries made after `since` (by default of the last 30 days), queues the events of those that failed or were given up, unless a replay of the event is pending or has succeeded. Test events are left out. A call looks at 5,000 deliveries and queues at most 1,000; while `nextCursor` is a text, call again with it.",
  refuses: { conflict: "The webhook is disabled." },
  json: z.object({ since: timestampInput.optional(), cursor: z.string().optional() }),
  bodyOptional: true,
  retryable: true,
  status: 202,
  response: z
    .object({ queued: z.int(), nextCursor: z.string().nullable() })
    .meta({ example: { queued: 12, nextCursor: null } }),
})

export const findPosition = endpoint({
  ...inDashboard,
  name: "events.position",
  call: "GET /event-position",
  summary: "Find the number of the last event before a time",
  description: "A backfill `after` this number queues what was stored since then.",
  query: z.object({ at: timestampQuery }),
  response: z.object({ after: z.int() }).meta({ example: { after: 6 } }),
})

const health = z
  .object({
    webhookId: z.string(),
    since: timestamp.describe("The counts begin here."),
    succeeded: z.int(),
    failed: z.int().describe("Failed or given up."),
    pending: z.int(),
    lastFailure: z
      .object({
        deliveryId: z.string(),
        at: timestamp,
        statusCode: z.int().nullable(),
        error: z.string().nullable(),
      })
      .nullable()
      .describe("The last attempt of the newest delivery whose last attempt failed."),
    probeAt: timestamp
      .nullable()
      .describe(
        "A receiver that answers too slowly gets one delivery at a time, the next one then.",
      ),
  })
  .meta({
    example: {
      webhookId: exampleId("webhook"),
      since: EXAMPLE_TIME,
      succeeded: 41,
      failed: 0,
      pending: 1,
      lastFailure: {
        deliveryId: exampleId("delivery"),
        at: EXAMPLE_TIME,
        statusCode: 500,
        error: null,
      },
      probeAt: null,
    },
  })
export type WebhookHealth = z.output<typeof health>

export const readHealth = endpoint({
  ...inDashboard,
  name: "webhooks.health",
  call: "GET /webhook-health",
  summary: "Count the deliveries of the last 24 hours by webhook",
  description:
    "It looks at the newest 5,000 deliveries, shared evenly among the webhooks. Where a webhook had more than its share, `since` is later than 24 hours ago.",
  response: z.object({ data: z.array(health) }),
})

export const rotateSecret = endpoint({
  ...inDashboard,
  name: "webhooks.rotateSecret",
  call: "POST /webhooks/:id/rotate-secret",
  summary: "Replace a webhook's secret; it is shown once",
  description:
    "Pending deliveries are signed with the new one from their next attempt on. With `overlap` the one that it replaces signs beside it for 24 hours.",
  json: z.object({ overlap: z.boolean().default(false) }),
  bodyOptional: true,
  response: z.object({ secret: z.string() }).meta({ example: { secret: "whsec_…" } }),
})
