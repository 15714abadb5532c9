import * as z from "zod"
import { campaign } from "../worker/campaigns/contract.ts"
import { contact } from "../worker/contacts/shapes.ts"
import { domain } from "../worker/domains/contract.ts"
import { EMAIL_EVENT_TYPES, email, emailEvent } from "../worker/emails/contract.ts"
import { receivedWithTexts } from "../worker/received/contract.ts"
import { sequence } from "../worker/sequences/contract.ts"
import { run } from "../worker/sequences/runs/contract.ts"
import { event } from "../worker/webhooks/contract.ts"
import { EVENT_TYPES, type EventType } from "../worker/webhooks/events/types.ts"

export const FIRED: Record<EventType, string> = {
  "email.sent": "The provider accepted the email.",
  "email.delivered": "The receiving server took it.",
  "email.delayed": "The provider reported a delay.",
  "email.bounced": "Hard or soft bounce; a hard one also suppresses the address.",
  "email.complained": "Reported as spam; also suppresses the address, unless `not-spam`.",
  "email.opened": "The pixel was fetched. Once per user agent and UTC day.",
  "email.clicked": "A tracked link was followed. Once per url, user agent and UTC day.",
  "email.failed": "The provider refused it, or every attempt failed.",
  "domain.verified": "A domain became verified.",
  "domain.failed": "A verified domain lost its proof, or the 72 hours were over.",
  "contact.created": "A contact was added; an import fires none of the events of contacts.",
  "contact.updated": "A contact was changed, its consent apart.",
  "contact.unsubscribed": "Consent was withdrawn.",
  "contact.resubscribed": "Consent was given again.",
  "contact.pending": "A contact was asked by mail to confirm, and is not subscribed until then.",
  "contact.confirmed": "The person has confirmed and is subscribed.",
  "campaign.sent": "Every recipient is queued, not delivered. Once.",
  "campaign.completed": "Every email has its outcome; `counts` is final. Once.",
  "email.received": "Mail came to an inbox. Texts beyond 200 KiB are cut: `truncated`.",
  "email.replied": "A person answered the email. Once for each answer.",
  "sequence.started": "A contact entered a sequence.",
  "sequence.finished": "A run ended; `run.endedBy` says why.",
  "sequence.reached": "A run passed a step `notify`.",
  "sequence.held": "A step cannot be done. The run waits until it is resumed.",
}

/** The requests to webhooks: a body for each type of event, and the headers. */
export const sentEvents = () =>
  EVENT_TYPES.map((type) => ({
    type,
    summary: FIRED[type],
    headers: deliveryHeaders,
    schema: event.extend({ type: z.literal(type), data: dataOf(type) }).meta({ id: nameOf(type) }),
  }))

function dataOf(type: EventType): z.ZodType {
  const [noun, what = ""] = type.split(".")
  if (noun === "domain") return z.object({ domain })
  if (noun === "contact") return z.object({ contact })
  if (noun === "campaign") return z.object({ campaign })
  if (type === "email.received") return z.object({ received: receivedInEvent })
  if (noun === "sequence") return sequenceData
  const entry = emailEvent.omit({ id: true }).extend({ type: EMAIL_ENTRY.extract([what as Entry]) })
  const data = z.object({ email, event: entry })
  return type === "email.delivered" ? z.union([data, z.object({ test: z.literal(true) })]) : data
}

const receivedInEvent = receivedWithTexts
  .omit({ headers: true })
  .extend({ truncated: z.literal(true).optional() })
const sequenceData = z.object({
  sequence: sequence.omit({ steps: true }).meta({ id: "SequenceWithoutSteps" }),
  run,
  stepKey: z.string().nullable(),
})

type Entry = (typeof EMAIL_EVENT_TYPES)[number]
const EMAIL_ENTRY = z.enum(EMAIL_EVENT_TYPES)

/** `email.sent` as `EmailSentEvent`. */
const nameOf = (type: EventType) =>
  `${type
    .split(".")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}Event`

const deliveryHeaders = z.object({
  "svc-signature": z.string().describe("`t=<unix seconds>,v1=<hex>`"),
  "svc-event-id": z
    .string()
    .describe("The event's id. It is the same for every attempt: deduplicate by it."),
  "svc-event-sequence": z.string().describe("Its number in [`GET /events`](#call-events.list)."),
  "webhook-id": z.string().describe("The event's id, for libraries of Standard Webhooks."),
  "webhook-timestamp": z.string().describe("Unix seconds, for libraries of Standard Webhooks."),
  "webhook-signature": z.string().describe("For libraries of Standard Webhooks."),
})
