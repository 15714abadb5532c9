import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageQuery, searchedPageOf } from "../../platform/http/page.ts"
import { timestamp } from "../../platform/http/shapes.ts"
import { event, queuedDelivery } from "../contract.ts"
import { DELIVERY_STATES, EVENT_TYPES } from "../events/types.ts"

export const deliveryExample = {
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

const withKey = { access: "full", tag: "Webhooks" } as const

export const listedDelivery = delivery
  .extend({
    about: z
      .string()
      .nullable()
      .describe("The address, domain, campaign or sequence of the event. Null: a test."),
  })
  .meta({ id: "ListedDelivery", example: { ...deliveryExample, about: "ada@example.com" } })
export type ListedDelivery = z.output<typeof listedDelivery>

export const listDeliveries = endpoint({
  ...withKey,
  name: "webhooks.deliveries",
  call: "GET /webhooks/:id/deliveries",
  summary: "List a webhook's deliveries, newest first",
  description:
    "With `state` a page looks through at most 1,000 deliveries, so a short page may have a `nextCursor`.",
  query: pageQuery.extend({
    state: z
      .enum(DELIVERY_STATES)
      .optional()
      .describe("`failed` also finds those given up, which are `exhausted`."),
  }),
  response: searchedPageOf(listedDelivery),
})

export const getDelivery = endpoint({
  ...withKey,
  name: "webhooks.delivery",
  call: "GET /deliveries/:id",
  summary: "Read a delivery with its payload and attempts",
  response: delivery.extend({ payload, attempts: z.array(attempt) }).meta({
    id: "DeliveryWithAttempts",
    example: {
      ...deliveryExample,
      payload: event.meta()?.example,
      attempts: [attempt.meta()?.example],
    },
  }),
})

export const replayDelivery = endpoint({
  ...withKey,
  name: "webhooks.replay",
  call: "POST /deliveries/:id/replay",
  summary: "Deliver the same event again",
  description: "A new delivery of the same event, under the same event id.",
  refuses: { conflict: "The webhook is disabled." },
  status: 202,
  response: queuedDelivery,
})
