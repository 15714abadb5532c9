import * as z from "zod"
import { email } from "../emails/contract.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageLimit, pageOf, pageQuery } from "../platform/http/page.ts"
import {
  atLeastOne,
  boundedText,
  optionalTitle,
  timestamp,
  timestampQuery,
} from "../platform/http/shapes.ts"
import { EVENT_TYPES, WEBHOOK_FORMATS } from "./events/types.ts"

const url = boundedText(2048, z.string().trim())
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), {
    message: "Must be a URL",
    abort: true,
  })
  .refine((text) => !hasCredentials(text), "May not contain a user name or a password")
  .meta({ format: "uri" })

/** The URL parser silently drops an empty user name, line breaks and tabs. */
function hasCredentials(text: string): boolean {
  const afterScheme = text.replace(/[\t\n\r]/g, "").replace(/^[^:]*:[/\\]*/, "")
  return afterScheme.split(/[/\\?#]/, 1)[0]?.includes("@") ?? false
}

const events = z
  .array(z.enum(EVENT_TYPES))
  .min(1)
  .max(100)
  .transform((types) => [...new Set(types)])

const format = z
  .enum(WEBHOOK_FORMATS)
  .describe(
    "`resend`: bodies and types as Resend sends them, with `svix-*` headers beside ours, so that a receiver that was written for Resend goes on as it is.",
  )

const name = optionalTitle(64).describe("What people call it, to tell webhooks of one host apart.")

const inputExample = {
  url: "https://example.com/hooks/edgepost",
  events: ["email.delivered", "email.bounced", "email.complained"],
}

export const webhook = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    url: z.string(),
    events: z.array(z.enum(EVENT_TYPES)),
    format,
    enabled: z.boolean(),
    failingSince: timestamp.nullable().describe("The first failure since the last success."),
    disabledReason: z.string().nullable().describe("Set when the service disabled it."),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({
    id: "Webhook",
    example: {
      id: exampleId("webhook"),
      name: "Billing",
      ...inputExample,
      format: "edgepost",
      enabled: true,
      failingSince: null,
      disabledReason: null,
      createdAt: EXAMPLE_TIME,
      updatedAt: EXAMPLE_TIME,
    },
  })
export type Webhook = z.output<typeof webhook>

const eventExample = {
  id: exampleId("event"),
  type: "email.delivered",
  createdAt: EXAMPLE_TIME,
  data: {
    email: email.meta()?.example,
    event: {
      type: "delivered",
      occurredAt: EXAMPLE_TIME,
      recipients: ["success@simulator.amazonses.com"],
    },
  },
}

export const event = z
  .object({
    id: z.string(),
    type: z.enum(EVENT_TYPES),
    createdAt: timestamp,
    data: z
      .record(z.string(), z.unknown())
      .describe("What it is about: see [webhook events](#webhook-events)."),
  })
  .meta({ id: "Event", example: eventExample })
export type Event = z.output<typeof event>

const tag = "Webhooks"

export const createWebhook = endpoint({
  name: "webhooks.create",
  call: "POST /webhooks",
  access: "full",
  tag,
  summary: "Create a webhook; its secret is shown once",
  description:
    "A team has at most 50. The URL is https and leads to a public address. What is sent there, how it is signed and when it is tried again: see [webhook events](#webhook-events).",
  example: () => inputExample,
  refuses: {
    validation_error: "Also a URL that leads to a private address.",
    conflict: "The team has 50.",
  },
  json: z.object({ name: name.default(null), url, events, format: format.default("edgepost") }),
  status: 201,
  response: z
    .object({
      id: z.string(),
      secret: z
        .string()
        .describe("`whsec_…`: what [signatures](#webhook-signature) are made with."),
    })
    .meta({ example: { id: exampleId("webhook"), secret: "whsec_…" } }),
})

export const listWebhooks = endpoint({
  name: "webhooks.list",
  call: "GET /webhooks",
  access: "full",
  tag,
  summary: "List webhooks, newest first",
  query: pageQuery,
  response: pageOf(webhook),
})

export const getWebhook = endpoint({
  name: "webhooks.get",
  call: "GET /webhooks/:id",
  access: "full",
  tag,
  summary: "Read a webhook",
  response: webhook,
})

export const updateWebhook = endpoint({
  name: "webhooks.update",
  call: "PATCH /webhooks/:id",
  access: "full",
  tag,
  summary: "Change, disable or re-enable a webhook",
  description:
    "Disabling drops the deliveries that are pending. Re-enabling clears the failure state; what was missed comes with a backfill.",
  example: () => ({ enabled: true }),
  refuses: { validation_error: "Also a URL that leads to a private address." },
  json: atLeastOne(z.object({ name, url, events, format, enabled: z.boolean() }).partial()),
  response: webhook,
})

export const deleteWebhook = endpoint({
  name: "webhooks.delete",
  call: "DELETE /webhooks/:id",
  access: "full",
  tag,
  summary: "Delete a webhook and its deliveries",
})

export const queuedDelivery = z
  .object({ deliveryId: z.string() })
  .meta({ example: { deliveryId: exampleId("delivery") } })

export const testWebhook = endpoint({
  name: "webhooks.test",
  call: "POST /webhooks/:id/test",
  access: "full",
  tag,
  summary: "Send a test event",
  description:
    'Queues one `email.delivered` event with `data` equal to `{"test": true}`, whatever the webhook subscribes to. Refused while it is disabled.',
  refuses: { conflict: "The webhook is disabled." },
  retryable: true,
  status: 202,
  response: queuedDelivery,
})

export const backfillWebhook = endpoint({
  name: "webhooks.backfill",
  call: "POST /webhooks/:id/backfill",
  access: "full",
  tag,
  summary: "Queue the events that a webhook missed",
  description:
    "Of the events still kept above `after`, queues those that the webhook subscribes to and has neither received nor pending, oldest first. A call looks at 5,000 events and queues at most 1,000. While `nextAfter` is a number, call again with it.",
  example: () => ({ after: 0 }),
  refuses: { conflict: "The webhook is disabled." },
  json: z.object({ after: z.int().min(0).describe("A sequence; 0 for everything kept.") }),
  retryable: true,
  status: 202,
  response: z
    .object({ queued: z.int(), nextAfter: z.int().nullable() })
    .meta({ example: { queued: 12, nextAfter: null } }),
})

export const listEvents = endpoint({
  name: "events.list",
  call: "GET /events",
  access: "full",
  tag,
  summary: "List events in order, to catch up",
  description:
    "Events are numbered per team without a gap (`svc-event-sequence` on a delivery) and kept for 30 days, from the moment a team has a webhook, enabled or not. Oldest first; `nextAfter` is where the next call goes on, also when there is nothing new yet.",
  query: z.object({
    after: z
      .string()
      .regex(/^[0-9]{1,15}$/, "Must be a whole number")
      .transform(Number)
      .optional()
      .default(0)
      .meta({ type: "integer", minimum: 0 }),
    limit: pageLimit,
  }),
  response: z
    .object({
      data: z.array(z.object({ sequence: z.int(), ...event.shape })),
      nextAfter: z.int(),
      reset: z
        .literal(true)
        .optional()
        .describe("`after` is above every number, as after a restore of the database: begin anew."),
    })
    .meta({
      id: "EventPage",
      example: { data: [{ sequence: 7, ...eventExample }], nextAfter: 7 },
    }),
})

export const findPosition = endpoint({
  name: "events.position",
  call: "GET /event-position",
  access: "full",
  tag,
  summary: "Find the number of the last event before a time",
  description: "Events and a backfill `after` this number begin at that time.",
  query: z.object({ at: timestampQuery.optional().describe("By default the end of all events.") }),
  response: z.object({ after: z.int() }).meta({ example: { after: 6 } }),
})
