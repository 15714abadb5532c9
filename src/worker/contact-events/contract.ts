import * as z from "zod"
import { DAY_MS } from "../../lib/time.ts"
import { properties } from "../contacts/shapes.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { bareAddress, lines, timestamp, timestampInput } from "../platform/http/shapes.ts"
import { EVENT_NAME } from "../segments/filter.ts"

export const EVENTS_KEPT_DAYS = 90
const MAX_EVENTS_A_CALL = 100

/** The name of an event, such as `order.paid`. */
export const eventName = z
  .string()
  .regex(
    EVENT_NAME,
    "Must have up to 64 of a to z, 0 to 9, dots, underscores and hyphens, and begin and end with a letter or a digit",
  )
  .refine(
    (name) => !name.startsWith("edgepost."),
    "May not begin with 'edgepost.': the service's own events do",
  )

const eventInput = z
  .object({
    name: eventName,
    email: bareAddress.optional(),
    contactId: z.string().optional(),
    bookId: z
      .string()
      .optional()
      .describe(
        "Counts in this book alone. An address that is not in it yet is added, not subscribed.",
      ),
    properties: properties.default({}),
    at: timestampInput
      .refine(
        (time) => time >= 0 && time <= Date.now() + DAY_MS,
        "Must be between 1970 and one day ahead",
      )
      .optional()
      .describe("When it happened, from 1970 to one day ahead; by default now."),
    idempotencyKey: lines(256).min(1).optional(),
  })
  .refine(({ email, contactId }) => (email === undefined) !== (contactId === undefined), {
    path: ["email"],
    error: "Either email or contactId",
  })
export type EventInput = z.output<typeof eventInput>

const sentEvent = z.object({ id: z.string() })

export const contactEvent = z
  .object({
    id: z.string(),
    name: z.string(),
    at: timestamp,
    properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  })
  .meta({
    id: "ContactEvent",
    example: {
      id: exampleId("event"),
      name: "order.paid",
      at: EXAMPLE_TIME,
      properties: { total: 42 },
    },
  })

const tag = "Sequences"

export const sendEvents = endpoint({
  name: "events.send",
  call: "POST /events",
  access: "full",
  tag,
  summary: "Tell what a contact did",
  description: `An event starts the sequences that wait for its name, and lets runs go on that wait for it. Segments and branches can ask for it. A body that is a list of up to ${MAX_EVENTS_A_CALL} events stores all or none. An address in several books counts in each. Kept for ${EVENTS_KEPT_DAYS} days. With an idempotency key, the same event again answers 200 and the first id.`,
  example: () => ({ name: "order.paid", email: "ada@example.com", properties: { total: 42 } }),
  refuses: {
    not_found: "The address is in no book, or there is no such contact or book.",
    idempotency_conflict: "The idempotency key stands for another event.",
  },
  json: z.union([eventInput, z.array(eventInput).min(1).max(MAX_EVENTS_A_CALL)]),
  status: 202,
  alsoStatus: 200,
  response: z
    .union([sentEvent, z.object({ data: z.array(sentEvent) })])
    .meta({ example: { id: exampleId("event") } }),
})

export const listContactEvents = endpoint({
  name: "contacts.events",
  call: "GET /contact-books/:id/contacts/:contactId/events",
  access: "full",
  tag,
  summary: "List the events of a contact, newest first",
  query: pageQuery,
  response: pageOf(contactEvent),
})
