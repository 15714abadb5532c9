import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { OTHER_DOMAIN } from "../platform/http/errors.ts"
import { EXAMPLE_TIME, exampleId, exampleTimeAhead } from "../platform/http/example.ts"
import { createdRange, pageQuery, searchedPageOf } from "../platform/http/page.ts"
import { scheduleTime, timestamp } from "../platform/http/shapes.ts"
import { emailFilters } from "./list/filters-contract.ts"
import { idempotencyHeader, SEND_MAX_BYTES, sendInput } from "./send-input.ts"
import { EMAIL_STATUSES } from "./statuses.ts"

export { EMAIL_STATUSES, type EmailStatus, ENDED_STATUSES, STATUS_RANK } from "./statuses.ts"

/** The UTF-16 units to keep of a text that somebody else reported. */
export const MAX_REPORTED_LENGTH = 1_000

export const EMAIL_EVENT_TYPES = [
  "sent",
  "delivered",
  "delayed",
  "bounced",
  "complained",
  "opened",
  "clicked",
  "failed",
  "cancelled",
  "suppressed",
  "replied",
] as const
export type EmailEventType = (typeof EMAIL_EVENT_TYPES)[number]

/**
 * Reasons of a `sent` entry after a lost answer of the provider. Either the provider's own event, or
 * an open or a click, confirmed that it had accepted the message, or none came in time and the message
 * was sent again.
 */
export const SETTLED_BY_PROVIDER_EVENT = "settled_by_provider_event"
export const SETTLED_BY_HIT = "settled_by_open_or_click"
export const SENT_AGAIN = "sent_again_without_answer"

/** The reason of a failure without any report. A later report of the provider overrides it. */
export const NEVER_ANSWERED = "The provider never answered."

/**
 * The details of a provider's event, without its type and time. Each text except the `url` of a
 * click has at most `MAX_REPORTED_LENGTH` UTF-16 units.
 */
const eventData = z.object({
  bounceType: z.enum(["Permanent", "Transient", "Undetermined"]).optional(),
  bounceSubType: z.string().optional(),
  diagnosticCode: z
    .string()
    .optional()
    .describe(`The receiving server's words, cut to ${MAX_REPORTED_LENGTH} characters.`),
  complaintFeedbackType: z.string().optional(),
  recipients: z.array(z.string()).optional(),
  url: z.string().optional(),
  userAgent: z.string().optional(),
  ip: z.string().optional(),
  reason: z
    .string()
    .optional()
    .describe(
      `What the provider gave as the reason, cut to ${MAX_REPORTED_LENGTH} characters. With \`sent\`, how a lost answer was settled: \`${SETTLED_BY_PROVIDER_EVENT}\`, \`${SETTLED_BY_HIT}\` or \`${SENT_AGAIN}\`; or which headers the provider did not take.`,
    ),
  receivedId: z.string().optional().describe("With `replied`: the received email that answers."),
  untracked: z
    .enum(["too_many_links", "signed_or_encrypted", "unreadable"])
    .optional()
    .describe("With `sent`: why clicks are not tracked. See [tracking](#tracking)."),
})
export type EventData = z.output<typeof eventData>

const eventExample = {
  id: exampleId("event"),
  type: "delivered",
  occurredAt: EXAMPLE_TIME,
  recipients: ["success@simulator.amazonses.com"],
}

export const emailEvent = z
  .object({
    id: z.string(),
    type: z.enum(EMAIL_EVENT_TYPES),
    occurredAt: timestamp,
    ...eventData.shape,
  })
  .meta({ id: "EmailEvent", example: eventExample })

const emailExample = {
  id: exampleId("email"),
  from: "Edgepost <hello@demo.test>",
  to: ["success@simulator.amazonses.com"],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: "It works",
  status: "delivered",
  tags: { kind: "welcome" },
  domainId: exampleId("domain"),
  campaignId: null,
  sequenceId: null,
  runId: null,
  templateId: null,
  scheduledAt: null,
  sentAt: EXAMPLE_TIME,
  createdAt: EXAMPLE_TIME,
  lastError: null,
}

export const email = z
  .object({
    id: z.string(),
    from: z.string(),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    bcc: z.array(z.string()),
    replyTo: z.array(z.string()),
    subject: z.string(),
    status: z.enum(EMAIL_STATUSES),
    tags: z.record(z.string(), z.string()),
    domainId: z.string(),
    campaignId: z.string().nullable(),
    sequenceId: z.string().nullable(),
    runId: z.string().nullable().describe("The run of the sequence."),
    templateId: z.string().nullable(),
    scheduledAt: timestamp.nullable(),
    sentAt: timestamp.nullable(),
    createdAt: timestamp,
    lastError: z.string().nullable().describe("Why the last attempt to send did not succeed."),
  })
  .meta({ id: "Email", example: emailExample })
export type Email = z.output<typeof email>

export const emailPage = searchedPageOf(email)

export const emailWithEvents = email
  .extend({
    events: z.array(emailEvent).describe("The timeline, oldest first, at most 100 entries."),
    eventsCursor: z
      .string()
      .optional()
      .describe("Where more entries follow, the `eventsCursor` that reads on."),
  })
  .meta({ id: "EmailWithEvents", example: { ...emailExample, events: [eventExample] } })
export type EmailWithEvents = z.output<typeof emailWithEvents>

const tag = "Emails"
export const acceptedEmail = z
  .object({ id: z.string() })
  .meta({ example: { id: exampleId("email") } })

const messageExample = {
  from: "Edgepost <hello@demo.test>",
  to: "success@simulator.amazonses.com",
  subject: "It works",
  html: "<p>Hi there</p>",
  tags: { kind: "welcome" },
}

export const sendRefusals = {
  validation_error:
    "Also a template that is unknown, or variables that it misses (`details.missing`, `details.invalid`).",
  forbidden: OTHER_DOMAIN,
  idempotency_conflict: "The idempotency key stands for another input.",
  domain_not_verified: "No verified domain of the team matches `from`.",
  suppressed_recipient: "`details` is `[{email, reason}]`, one for each suppressed address.",
}

export const sendEmail = endpoint({
  name: "emails.send",
  call: "POST /emails",
  access: "any",
  dashboardRole: "member",
  tag,
  summary: "Send an email, now or later",
  description:
    "Answers as soon as the email is stored. With an idempotency key, the same request again answers 200 and the first id.",
  headers: idempotencyHeader,
  example: () => ({ ...messageExample, idempotencyKey: "welcome-42" }),
  refuses: sendRefusals,
  json: sendInput,
  maxBytes: SEND_MAX_BYTES,
  authenticatesItself: true,
  status: 201,
  alsoStatus: 200,
  response: acceptedEmail,
})

export const sendEmailBatch = endpoint({
  name: "emails.batch",
  call: "POST /emails/batch",
  access: "any",
  dashboardRole: "member",
  tag,
  summary: "Send up to 100 emails, all or none",
  description:
    "A refused item refuses the call: `details` is `{index, cause}`, nothing is stored, nothing is sent.",
  headers: idempotencyHeader,
  example: () => [
    messageExample,
    { ...messageExample, to: ["Ada <ada@example.com>", "ooto@simulator.amazonses.com"] },
  ],
  refuses: sendRefusals,
  json: z.array(sendInput).min(1).max(100),
  perItem: true,
  maxBytes: SEND_MAX_BYTES,
  authenticatesItself: true,
  status: 201,
  alsoStatus: 200,
  response: z.object({ data: z.array(acceptedEmail) }),
})

export const listEmails = endpoint({
  name: "emails.list",
  call: "GET /emails",
  access: "full",
  tag,
  summary: "List emails, newest first",
  description:
    "All filters have to match. A page looks through at most 1,000 emails that one of the filters finds, and with `q` at the words of 250,000. Where that was not enough, the page is short or empty with a `nextCursor`, and `searchedUntil` says how far back it has looked. An empty page without `nextCursor` means that nothing matches.",
  query: pageQuery.extend({ ...emailFilters, ...createdRange }),
  response: emailPage,
})

export const getEmail = endpoint({
  name: "emails.get",
  call: "GET /emails/:id",
  access: "full",
  tag,
  summary: "Read an email and its timeline",
  query: z.object({
    eventsCursor: z
      .string()
      .optional()
      .describe("The `eventsCursor` of the answer before: goes on with the timeline."),
  }),
  response: emailWithEvents,
})

export const rescheduleEmail = endpoint({
  name: "emails.reschedule",
  call: "PATCH /emails/:id",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Reschedule an email that is scheduled",
  example: () => ({ scheduledAt: exampleTimeAhead() }),
  exampleReply: () => ({ status: "scheduled", sentAt: null }),
  refuses: { forbidden: OTHER_DOMAIN, conflict: "The email is not `scheduled`." },
  json: z.object({ scheduledAt: scheduleTime }),
  response: email,
})

export const cancelEmail = endpoint({
  name: "emails.cancel",
  call: "POST /emails/:id/cancel",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Cancel an email that is queued or scheduled",
  description: "Again on a cancelled one: the same answer, and nothing changes.",
  exampleReply: () => ({ status: "cancelled", scheduledAt: exampleTimeAhead(), sentAt: null }),
  refuses: { conflict: "It is being sent, or was." },
  retryable: true,
  response: email,
})
