import * as z from "zod"
import { domainOf } from "../../lib/address.ts"
import { toBase64 } from "../../lib/base64.ts"
import { MAX_BODY_CHARACTERS } from "../../lib/placeholder-shapes.ts"
import { MIB } from "../platform/http/input/body.ts"
import {
  boundedText,
  dictionary,
  mailbox,
  mailboxes,
  oneLine,
  parsedBy,
  scheduleTime,
  title,
} from "../platform/http/shapes.ts"
import { variables } from "../templates/contract.ts"
import { isAllowedHeader } from "./header-names.ts"
import type { RawMessage } from "./raw/raw-message.ts"

export const SEND_MAX_BYTES = 25 * MIB
export const MAX_RECIPIENTS = 50
export const MAX_ATTACHMENTS_BYTES = 10 * MIB
export const MAX_HEADERS = 100
const MAX_TAGS = 20

const headers = dictionary(
  z
    .string()
    .regex(/^[A-Za-z0-9-]{1,80}$/, "A header's name has 1 to 80 letters, digits and hyphens")
    .refine(
      isAllowedHeader,
      "Neither a standard header that a send may set nor an `X-` one of your own",
    ),
  oneLine(900),
  MAX_HEADERS,
)

export const attachment = z.object({
  filename: title(255),
  content: z
    .string()
    .transform(parsedBy((text) => (text === "" ? "" : toBase64(text)), "Must be base64"))
    .describe(
      "Base64, standard or URL-safe, padded or not, line breaks allowed; all attachments together decode to at most 10 MiB.",
    ),
  contentType: z
    .string()
    .max(255)
    .regex(
      /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(; ?[\w!#$&^.+-]+=("[ -!#-~]*"|[\w!#$&^.+:/-]+))*$/,
      "Must be a media type",
    )
    .optional()
    .describe(
      "The first `text/calendar` with a `method`, such as `text/calendar; method=REQUEST`, becomes an alternative of the body, so that mail programs show an invitation. Through Cloudflare it stays a file.",
    ),
  contentId: z
    .string()
    .regex(/^[A-Za-z0-9._@+-]{1,128}$/, "1 to 128 letters, digits and ._@+-")
    .optional()
    .describe('Makes it inline: `<img src="cid:…">`.'),
})
export type Attachment = z.output<typeof attachment>

const tags = dictionary(
  z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "A tag's key has 1 to 64 letters, digits, _ and -"),
  oneLine(256),
  MAX_TAGS,
)

const messageId = z
  .string()
  .max(250)
  .regex(
    /^<[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*>$/,
    "Must be <local@domain>",
  )
  .describe(
    "The `Message-ID` of RFC 5322, `<local@domain>`, so that answers and threads of your own find the message. The domain is that of `from` or one below it. The sandbox and SMTP keep it; Amazon SES and Cloudflare set their own.",
  )

/** Whether a message of this sender may have the id: others may not speak for the domain. */
export const mayHaveId = (from: string, id: string): boolean => {
  const domain = domainOf(id.slice(0, -1)).toLowerCase()
  return messageId.safeParse(id).success && `.${domain}`.endsWith(`.${domainOf(from)}`)
}

export const sendFields = z.object({
  from: mailbox.describe("`a@b.c` or `Name <a@b.c>`, on a verified domain or below one."),
  to: mailboxes
    .refine((list) => list.length > 0, "At least one recipient")
    .describe(`Each as \`from\`. \`to\`, \`cc\` and \`bcc\` together: at most ${MAX_RECIPIENTS}.`),
  cc: mailboxes.default([]),
  bcc: mailboxes.default([]),
  replyTo: mailboxes.default([]),
  subject: title(998)
    .optional()
    .describe("Required without a template, whose subject it replaces."),
  html: boundedText(MAX_BODY_CHARACTERS)
    .optional()
    .describe("At least one of `html`, `text` and `template` is required."),
  text: boundedText(MAX_BODY_CHARACTERS)
    .optional()
    .describe(
      "Without it, the message gets a text part made from its html, also from a template's. The empty string: no text part.",
    ),
  template: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("A template's slug or id; excludes `html` and `text`."),
  variables: variables.optional().describe("Values for the template, only with one."),
  headers: headers
    .default({})
    .describe(
      "Value by name: `X-` headers of your own, and standard ones such as `List-Unsubscribe`, `In-Reply-To`, `References`, `Feedback-ID` and `Importance`. Refused are those that the service or the transport sets, and those by which a provider is told what to do, such as `X-SES-*` and `X-MJ-*`.",
    ),
  messageId: messageId.optional(),
  attachments: z
    .array(attachment)
    .max(20)
    .refine((files) => decodedBytes(files) <= MAX_ATTACHMENTS_BYTES, {
      message: "At most 10 MiB of attachments in all",
    })
    .default([]),
  tags: tags.default({}).describe("Up to 20; value by key."),
  scheduledAt: scheduleTime
    .nullish()
    .transform((time) => time ?? undefined)
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
    .describe(
      "Mail suppressed addresses all the same; ignored for a sending-only key, and for a member of the team in the dashboard.",
    ),
  onSuppressed: z
    .enum(["refuse", "skip"])
    .optional()
    // A fingerprint leaves out what is not given.
    .transform((choice) => (choice === "skip" ? choice : undefined))
    .describe(
      "`skip`: the email goes to the other recipients, and its timeline names the skipped ones. With nobody left it is accepted and `cancelled`. Default `refuse`: one suppressed recipient refuses the email.",
    ),
  idempotencyKey: oneLine(256)
    .min(1)
    .optional()
    .describe("The same key with the same input sends once. See [idempotency](#idempotency)."),
})

export const idempotencyHeader = z.object({
  "idempotency-key": boundedText(256)
    .min(1)
    // The runtime reads other bytes as this character, so different keys would become the same.
    .refine((key) => !key.includes("\ufffd"), "Must be UTF-8")
    .optional()
    .describe("Same as `idempotencyKey` in the body; on a batch it stands for the whole call."),
})

export const sendInput = sendFields
  .check(({ value, issues }) => {
    const refuse = (field: keyof typeof value, message: string) =>
      issues.push({ code: "custom", path: [field], message, input: value })

    if (value.to.length + value.cc.length + value.bcc.length > MAX_RECIPIENTS) {
      refuse("to", `At most ${MAX_RECIPIENTS} recipients in to, cc and bcc together`)
    }
    if (value.messageId !== undefined && !mayHaveId(value.from.address, value.messageId)) {
      refuse("messageId", "Its domain must be that of `from`, or below it")
    }
    if (value.template === undefined) {
      if (value.subject === undefined) refuse("subject", "Required without a template")
      if (value.variables) refuse("variables", "Only with a template")
      if (!value.html && !value.text) refuse("html", "One of html, text and template is required")
    } else if (value.html !== undefined || value.text !== undefined) {
      refuse("template", "Excludes html and text")
    }
  })
  .meta({ id: "SendInput" })

export type SendInput = z.output<typeof sendInput> & {
  /** The message as it is sent, in place of `html`, `text`, `headers` and `attachments`. */
  raw?: RawMessage
  /** What the caller gave beside attachments, where it is less than the input: the fingerprint has only this. */
  given?: { threadId: string; receivedId: string | undefined } & Pick<
    z.output<typeof sendFields>,
    "text" | "html" | "cc"
  >
}

const decodedBytes = (attachments: readonly Attachment[]) =>
  attachments.reduce((sum, { content }) => sum + Buffer.byteLength(content, "base64"), 0)
