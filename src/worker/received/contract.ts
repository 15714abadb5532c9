import * as z from "zod"
import { repeatable, yesOrNo } from "../emails/list/filters-contract.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { MIB } from "../platform/http/input/body.ts"
import { createdRange, pageQuery, searchedPageOf, waitSeconds } from "../platform/http/page.ts"
import { bareAddress, boundedText, timestamp } from "../platform/http/shapes.ts"

export const MAX_MESSAGE_BYTES = 25 * MIB
export const MAX_A_MINUTE_OF_INBOX = 60
export const MAX_A_MINUTE_OF_TEAM = 1_000

export const RECEIVED_KINDS = [
  "message",
  "autoReply",
  "bounce",
  "complaint",
  "unsubscribe",
] as const
export type ReceivedKind = (typeof RECEIVED_KINDS)[number]

export const SENDER_STATES = ["verified", "unverified", "failed"] as const

/** Somebody who is named in a message. The address is empty if the message names none. */
export const namedAddress = z.object({ email: z.string(), name: z.string().nullable() })
export type NamedAddress = z.output<typeof namedAddress>

const sender = z
  .object({
    state: z.enum(SENDER_STATES),
    domain: z.string().nullable().describe("The domain whose signature holds."),
    dkim: z.array(z.object({ domain: z.string(), result: z.string() })),
  })
  .describe(
    "Who sent it, by our own check of its DKIM signatures: `verified` if one holds for the domain of `from`. No header is believed.",
  )
export type Sender = z.output<typeof sender>

const attachment = z.object({
  id: z.string(),
  filename: z.string().nullable(),
  contentType: z.string(),
  size: z.int(),
  contentId: z.string().nullable(),
})

const example = {
  id: exampleId("received"),
  inboxId: exampleId("inbox"),
  threadId: exampleId("thread"),
  kind: "message",
  from: { email: "ada@example.com", name: "Ada Lovelace" },
  to: [{ email: "support@mail.example.com", name: null }],
  cc: [],
  replyTo: [],
  envelope: { from: "ada@example.com", to: "support@mail.example.com" },
  subject: "Where is my order?",
  messageId: "<1@example.com>",
  inReplyTo: null,
  references: [],
  attachments: [],
  sender: { state: "unverified", domain: null, dkim: [] },
  answersEmailId: null,
  parsed: true,
  size: 1_204,
  read: false,
  createdAt: EXAMPLE_TIME,
}

export const received = z
  .object({
    id: z.string(),
    inboxId: z.string(),
    threadId: z.string().nullable(),
    kind: z.enum(RECEIVED_KINDS),
    from: namedAddress,
    to: z.array(namedAddress),
    cc: z.array(namedAddress),
    replyTo: z.array(namedAddress),
    envelope: z.object({ from: z.string(), to: z.string() }),
    subject: z.string(),
    messageId: z.string().nullable(),
    inReplyTo: z.string().nullable(),
    references: z.array(z.string()),
    attachments: z.array(attachment),
    sender,
    answersEmailId: z.string().nullable().describe("The sent email that it answers."),
    parsed: z
      .boolean()
      .nullable()
      .describe(
        "Null until it was worked off, within seconds. False if it cannot be read: `raw` has it.",
      ),
    size: z.int().describe("The bytes of the whole message."),
    read: z.boolean(),
    createdAt: timestamp,
  })
  .meta({ id: "ReceivedEmail", example })
export type Received = z.output<typeof received>

const wholeExample = {
  ...example,
  text: "Where is it?",
  html: null,
  replyText: "Where is it?",
  headers: [{ name: "Subject", value: "Where is my order?" }],
}

export const receivedWithTexts = received
  .extend({
    text: z.string().nullable(),
    html: z.string().nullable().describe("As the sender wrote it: never show it unguarded."),
    replyText: z
      .string()
      .nullable()
      .describe("The text without quotation and signature; all of it if nothing else is left."),
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
  })
  .meta({ id: "ReceivedEmailWithTexts", example: wholeExample })

const tag = "Received emails"

export const takeReceivedEmail = endpoint({
  name: "receivedEmails.create",
  call: "POST /received-emails",
  access: "full",
  tag,
  summary: "Hand in a message",
  description:
    "As if it had come by mail: the body is a message of RFC 5322 of up to 25 MiB. The same message to the same recipient is taken once in 30 days.",
  query: z.object({
    to: bareAddress.describe("The recipient of the envelope: an inbox of the team."),
    from: z
      .union([z.literal(""), bareAddress])
      .default("")
      .describe("The sender of the envelope; empty for a message about a message."),
  }),
  exampleQuery: { to: "support@mail.example.com", from: "ada@example.com" },
  refuses: {
    not_found: "No inbox of the team takes mail to the address.",
    rate_limited: `The inbox takes ${MAX_A_MINUTE_OF_INBOX} messages a minute, a team ${MAX_A_MINUTE_OF_TEAM}.`,
  },
  fileType: "message/rfc822",
  isStreamed: true,
  maxBytes: MAX_MESSAGE_BYTES,
  retryable: true,
  status: 201,
  alsoStatus: 200,
  response: z.object({ id: z.string() }).meta({ example: { id: exampleId("received") } }),
})

export const listReceivedEmails = endpoint({
  name: "receivedEmails.list",
  call: "GET /received-emails",
  access: "full",
  tag,
  summary: "List received mail, newest first",
  description: "All filters combine. Texts are read one by one.",
  query: pageQuery.extend({
    inboxId: z.string().optional(),
    threadId: z.string().optional(),
    kind: repeatable(z.enum(RECEIVED_KINDS), RECEIVED_KINDS.length).optional(),
    from: boundedText(320, z.string().trim().min(3))
      .optional()
      .describe("The start of the sender's address, or `@domain`, whatever the case."),
    subject: boundedText(998).optional().describe("A part of the subject, whatever the case."),
    ...createdRange,
    read: yesOrNo.optional(),
    wait: waitSeconds("Seconds to wait for the first match that was worked off."),
  }),
  response: searchedPageOf(received),
})

export const getReceivedEmail = endpoint({
  name: "receivedEmails.get",
  call: "GET /received-emails/:id",
  access: "full",
  tag,
  summary: "Read a received email",
  response: receivedWithTexts,
})

export const getReceivedRaw = endpoint({
  name: "receivedEmails.raw",
  call: "GET /received-emails/:id/raw",
  access: "full",
  tag,
  summary: "Read a received message as it came",
  responseType: "message/rfc822",
})

export const getReceivedAttachment = endpoint({
  name: "receivedEmails.attachment",
  call: "GET /received-emails/:id/attachments/:attachmentId",
  access: "full",
  tag,
  summary: "Download a file of a received email",
  description: "Always a download, whatever the file says that it is.",
  responseType: "application/octet-stream",
})

export const updateReceivedEmail = endpoint({
  name: "receivedEmails.update",
  call: "PATCH /received-emails/:id",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Mark a received email as read or unread",
  example: () => ({ read: true }),
  json: z.object({ read: z.boolean() }),
  response: received,
})

export const deleteReceivedEmail = endpoint({
  name: "receivedEmails.remove",
  call: "DELETE /received-emails/:id",
  access: "full",
  tag,
  summary: "Delete a received email",
})
