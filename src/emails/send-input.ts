import * as z from "zod"
import { MIB } from "../http/body.ts"
import { headerText, mailbox, mailboxes, timestampInput } from "../http/shapes.ts"
import { CONTROL_CHARACTERS } from "../lib/address.ts"

/** Headers that the service or the transport sets. */
const RESERVED_HEADERS = new Set([
  "to",
  "cc",
  "bcc",
  "from",
  "sender",
  "subject",
  "reply-to",
  "date",
  "message-id",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
  "return-path",
  "received",
  "dkim-signature",
  "authentication-results",
])

const MAX_BODY_CHARACTERS = 5_000_000
const MAX_RECIPIENTS = 50
const MAX_ATTACHMENTS_BYTES = 10 * MIB
const MAX_VARIABLES_BYTES = 64 * 1024

const YEAR_MS = 366 * 24 * 3_600_000

export const scheduleTime = timestampInput.refine(
  (time) => time <= Date.now() + YEAR_MS,
  "At most one year ahead",
)

const noControl = (text: string) => !CONTROL_CHARACTERS.test(text)
const NO_CONTROL = "May not contain control characters"

const headers = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9-]{1,80}$/, "A header's name has 1 to 80 letters, digits and hyphens")
    .refine(
      (name) => !RESERVED_HEADERS.has(name.toLowerCase()),
      "This header is set by the service",
    ),
  z.string().max(900).refine(noControl, NO_CONTROL),
)

export const attachment = z.object({
  filename: headerText(255),
  content: z
    .string()
    .min(1)
    .refine(isBase64, "Must be base64")
    .describe("Base64; all attachments together decode to at most 10 MiB."),
  contentType: z
    .string()
    .max(255)
    .regex(
      /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(; ?[\w!#$&^.+-]+=("[ -!#-~]*"|[\w!#$&^.+:/-]+))*$/,
      "Must be a media type",
    )
    .optional(),
  contentId: z
    .string()
    .regex(/^[A-Za-z0-9._@+-]{1,128}$/, "1 to 128 letters, digits and ._@+-")
    .optional()
    .describe('Makes it inline: `<img src="cid:…">`.'),
})
export type Attachment = z.output<typeof attachment>

const tags = z
  .record(
    z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "A tag's key has 1 to 64 letters, digits, _ and -"),
    z.string().max(256).refine(noControl, NO_CONTROL),
  )
  .refine((value) => Object.keys(value).length <= 20, "At most 20 tags")

const variables = z
  .record(z.string(), z.unknown())
  .refine((value) => Object.keys(value).length <= 200, "At most 200 variables")
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_VARIABLES_BYTES,
    "At most 64 KiB of variables",
  )

const fields = z.object({
  from: mailbox,
  to: mailboxes.refine((list) => list.length > 0, "At least one recipient"),
  cc: mailboxes.default([]),
  bcc: mailboxes.default([]),
  replyTo: mailboxes.default([]),
  subject: headerText(998).optional(),
  html: z.string().max(MAX_BODY_CHARACTERS).optional(),
  text: z.string().max(MAX_BODY_CHARACTERS).optional(),
  template: z.string().min(1).max(64).optional().describe("A template's slug or id."),
  variables: variables.optional(),
  headers: headers.default({}),
  attachments: z.array(attachment).max(20).default([]),
  tags: tags.default({}),
  scheduledAt: scheduleTime
    .nullish()
    .describe("More than 5 seconds ahead: sent then. Up to one year ahead."),
  trackOpens: z
    .boolean()
    .optional()
    .describe("A pixel in `html` tells of opens. Without a value, the team's setting holds."),
  trackClicks: z
    .boolean()
    .optional()
    .describe(
      "Links to http(s) in `html` tell of clicks, but for the unsubscribe link and links of more than 2,048 characters. Without a value, the team's setting holds.",
    ),
  overrideSuppression: z
    .boolean()
    .default(false)
    .describe("Mail suppressed addresses all the same; ignored for a sending-only key."),
  idempotencyKey: z.string().min(1).max(256).refine(noControl, NO_CONTROL).optional(),
})

/** What `POST /emails` takes. */
export const sendInput = fields
  .check(({ value, issues }) => {
    const refuse = (field: keyof typeof value, message: string) =>
      issues.push({ code: "custom", path: [field], message, input: value })

    if (value.to.length + value.cc.length + value.bcc.length > MAX_RECIPIENTS) {
      refuse("to", `At most ${MAX_RECIPIENTS} recipients in to, cc and bcc together`)
    }
    if (value.template === undefined) {
      if (value.subject === undefined) refuse("subject", "Required without a template")
      if (value.variables) refuse("variables", "Only with a template")
      if (!value.html && !value.text) refuse("html", "One of html, text and template is required")
    } else if (value.html !== undefined || value.text !== undefined) {
      refuse("template", "Excludes html and text")
    }
    if (decodedBytes(value.attachments) > MAX_ATTACHMENTS_BYTES) {
      refuse("attachments", "At most 10 MiB of attachments in all")
    }
  })
  .meta({ id: "SendInput" })

export type SendInput = z.output<typeof sendInput>

const decodedBytes = (attachments: readonly Attachment[]) =>
  attachments.reduce((sum, { content }) => sum + Buffer.byteLength(content, "base64"), 0)

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}
