import * as z from "zod"
import { DOMAIN_STATUSES } from "../../domains/contract.ts"
import { DMARC_POLICIES } from "../../domains/dns/dmarc.ts"
import { endpoint } from "../../platform/http/endpoint.ts"
import { ERROR_STATUS, type ErrorCode } from "../../platform/http/errors.ts"
import { timestamp } from "../../platform/http/shapes.ts"
import { SUPPRESSION_REASONS } from "../../suppressions/contract.ts"
import { idempotencyHeader, SEND_MAX_BYTES, sendInput } from "../send-input.ts"

/** A send with warnings is not refused. */
const WARNING_CODES = [
  "already_sent",
  "suppression_overridden",
  "recipients_skipped",
  "no_dmarc",
  "no_text_part",
  "html_too_long",
  "message_too_large",
  "misleading_link",
  "image_without_alt",
  "placeholder_left",
  "no_list_unsubscribe",
  "long_subject",
] as const

const warning = z.object({
  code: z.enum(WARNING_CODES),
  message: z.string(),
  mend: z.string().describe("What to do about it."),
})
export type Warning = z.output<typeof warning>

const recipient = z.object({
  address: z.string(),
  suppressed: z
    .object({
      reason: z.enum(SUPPRESSION_REASONS),
      since: timestamp.nullable().describe("Null for a sending-only key."),
      sourceEmailId: z
        .string()
        .nullable()
        .describe("The email whose bounce or complaint it was. Null for a sending-only key."),
    })
    .nullable(),
})

const emailCheck = z
  .object({
    wouldSend: z
      .boolean()
      .describe("Whether the same input, sent now, makes an email. A replay makes none."),
    refusal: z
      .object({
        code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
        message: z.string(),
        details: z.unknown(),
      })
      .nullable()
      .describe("The error that a send answers, `details` null where it has none."),
    sender: z.object({
      domain: z.string().describe("The team's domain that `from` is on, else the one of `from`."),
      status: z
        .enum(DOMAIN_STATUSES)
        .nullable()
        .describe(
          "Null where the team has no such domain; a sending-only key sees `verified` alone.",
        ),
      dmarc: z
        .enum(DMARC_POLICIES)
        .nullable()
        .describe("The policy that DNS shows. Null where DNS did not answer within a second."),
    }),
    recipients: z.array(recipient).describe("Each address of to, cc and bcc, once."),
    message: z.object({
      subject: z.string().nullable().describe("Null where the template could not be filled in."),
      bytes: z
        .number()
        .describe("Of html, text and attachments as base64, without a text part that is made."),
      hasText: z.boolean().describe("Whether it gets a text part, written or made from its html."),
      attachments: z.number(),
    }),
    warnings: z.array(warning),
  })
  .meta({
    id: "EmailCheck",
    example: {
      wouldSend: true,
      refusal: null,
      sender: { domain: "demo.test", status: "verified", dmarc: "missing" },
      recipients: [{ address: "success@simulator.amazonses.com", suppressed: null }],
      message: { subject: "It works", bytes: 23, hasText: true, attachments: 0 },
      warnings: [
        {
          code: "no_dmarc",
          message: "demo.test has no DMARC record.",
          mend: "Publish the TXT record `v=DMARC1; p=none` at `_dmarc.demo.test`.",
        },
      ],
    },
  })
export type EmailCheck = z.output<typeof emailCheck>

export const checkEmail = endpoint({
  name: "emails.check",
  call: "POST /emails/check",
  access: "any",
  dashboardRole: "member",
  tag: "Emails",
  summary: "Ask what a send would do",
  description:
    "Takes what [a send](#call-emails.send) takes, stores nothing and sends nothing. What a send refuses with `validation_error` because the input does not fit its schema, a check refuses likewise; every later refusal is in `refusal`. `warnings` names what harms delivery or reading, in the first 500,000 characters.",
  headers: idempotencyHeader,
  example: () => ({
    from: "Edgepost <hello@demo.test>",
    to: "success@simulator.amazonses.com",
    subject: "It works",
    html: "<p>Hi there</p>",
  }),
  json: sendInput,
  maxBytes: SEND_MAX_BYTES,
  authenticatesItself: true,
  response: emailCheck,
})
