import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { ids, timestamp, timestampInput } from "../platform/http/shapes.ts"
import { event, queuedDelivery } from "./contract.ts"
import { delivery, deliveryExample, listedDelivery } from "./deliveries/contract.ts"
import { EVENT_TYPES } from "./events/types.ts"

const inDashboard = { access: "session", tag: "Deliveries" } as const

export const listEmailDeliveries = endpoint({
  ...inDashboard,
  name: "deliveries.ofEmail",
  call: "GET /emails/:id/deliveries",
  summary: "List what webhooks were told of an email",
  description:
    "The deliveries of its newest 20 events, newest first, at most 100. Replays are listed with their webhook.",
  response: z.object({
    data: z.array(
      delivery.extend({ webhookName: z.string().nullable(), url: z.string() }).meta({
        example: { ...deliveryExample, webhookName: "Billing", url: "https://example.com/hooks" },
      }),
    ),
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

export const readDeliveries = endpoint({
  ...inDashboard,
  name: "deliveries.several",
  call: "GET /webhooks/:id/delivery-rows",
  summary: "Read several deliveries of a webhook by their ids",
  description: "For lists that follow the stream. Unknown ids are left out.",
  query: z.object({ ids }),
  response: z
    .object({ data: z.array(listedDelivery) })
    .meta({ example: { data: [listedDelivery.meta()?.example] } }),
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

export const sendSampleEvent = endpoint({
  ...inDashboard,
  name: "webhooks.testEvent",
  call: "POST /webhooks/:id/test-event",
  summary: "Send a test event of a type",
  description:
    "Queues one event with made-up records in the shape of real ones, whatever the webhook subscribes to.",
  refuses: { conflict: "The webhook is disabled." },
  json: z.object({ type: z.enum(EVENT_TYPES) }),
  example: () => ({ type: "email.bounced" as const }),
  retryable: true,
  status: 202,
  response: queuedDelivery,
})

const health = z
  .object({
    webhookId: z.string(),
    since: timestamp.describe("The counts of what ended begin here: an hour begins."),
    succeeded: z.int(),
    failed: z.int().describe("Failed or given up."),
    pending: z.int().describe("Of all webhooks, at most 5,000 are counted."),
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
        "A receiver that does not answer in time gets one delivery at a time, the next one then.",
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
  summary: "Count the deliveries that ended in the last 24 hours by webhook",
  description:
    "Counted by the hour in which a delivery ended. A replay counts as a delivery of its own.",
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
