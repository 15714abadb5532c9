import * as z from "zod"
import { DELIVERY_STATES, EVENT_TYPES } from "../events/types.ts"
import { endpoint } from "../http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../http/example.ts"
import { pageOf, pageQuery } from "../http/page.ts"
import { timestamp } from "../http/shapes.ts"
import { event } from "./contract.ts"

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

const tag = "Deliveries"

export const listDeliveries = endpoint({
  name: "deliveries.list",
  method: "GET",
  path: "/webhooks/:id/deliveries",
  access: "session",
  tag,
  summary: "List a webhook's deliveries, newest first",
  query: pageQuery,
  status: 200,
  response: pageOf(delivery),
})

export const listEmailDeliveries = endpoint({
  name: "deliveries.ofEmail",
  method: "GET",
  path: "/emails/:id/deliveries",
  access: "session",
  tag,
  summary: "List what webhooks were told of an email",
  description:
    "The deliveries of its newest 20 events, newest first, at most 100. Replays are listed with their webhook.",
  status: 200,
  response: z.object({
    data: z.array(
      delivery
        .extend({ url: z.string() })
        .meta({ example: { ...deliveryExample, url: "https://example.com/hooks" } }),
    ),
  }),
})

export const getDelivery = endpoint({
  name: "deliveries.get",
  method: "GET",
  path: "/deliveries/:id",
  access: "session",
  tag,
  summary: "Read a delivery with its payload and attempts",
  status: 200,
  response: delivery.extend({ payload: event, attempts: z.array(attempt) }).meta({
    example: {
      ...deliveryExample,
      payload: event.meta()?.example,
      attempts: [attempt.meta()?.example],
    },
  }),
})

export const replayDelivery = endpoint({
  name: "deliveries.replay",
  method: "POST",
  path: "/deliveries/:id/replay",
  access: "session",
  tag,
  summary: "Deliver the same event again",
  description: "A new delivery of the same event, under the same event id.",
  refuses: { conflict: "The webhook is disabled." },
  status: 202,
  response: z
    .object({ deliveryId: z.string() })
    .meta({ example: { deliveryId: exampleId("delivery") } }),
})

export const rotateSecret = endpoint({
  name: "webhooks.rotateSecret",
  method: "POST",
  path: "/webhooks/:id/rotate-secret",
  access: "session",
  tag,
  summary: "Replace a webhook's secret; it is shown once",
  description:
    "Pending deliveries are signed with the new one from their next attempt on. With `overlap` the one that it replaces signs beside it for 24 hours.",
  json: z.object({ overlap: z.boolean().default(false) }),
  bodyOptional: true,
  status: 200,
  repliesSecret: true,
  response: z.object({ secret: z.string() }).meta({ example: { secret: "whsec_…" } }),
})
