import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { bareAddress, scheduleTimeQuery } from "../../platform/http/shapes.ts"
import { acceptedEmail, sendRefusals } from "../contract.ts"
import { repeatable, yesOrNo } from "../list/filters-contract.ts"
import { idempotencyHeader, MAX_RECIPIENTS, SEND_MAX_BYTES, sendFields } from "../send-input.ts"

const { onSuppressed, tags } = sendFields.shape

/** `key:value`, each key once. */
const tagPairs = repeatable(z.string().regex(/^[^:]+:/, "Must be key:value"), 20)
  .refine(
    (list) => new Set(list.map((tag) => toPair(tag)[0])).size === list.length,
    "Each key may be given once",
  )
  .transform((list) => Object.fromEntries(list.map(toPair)))
  .pipe(tags.unwrap())

function toPair(tag: string): [key: string, value: string] {
  const colon = tag.indexOf(":")
  return [tag.slice(0, colon), tag.slice(colon + 1)]
}

const REF = "See [raw messages](#raw-messages)."

export const sendRawEmail = endpoint({
  name: "emails.sendRaw",
  call: "POST /emails/raw",
  access: "any",
  dashboardRole: "member",
  tag: "Emails",
  summary: "Send a message as it is",
  description: `The body is a message of RFC 5322 of up to 25 MiB. Its sender, subject and recipients are read from its header, and every byte of its body is sent as it came. ${REF}`,
  headers: idempotencyHeader,
  refuses: {
    ...sendRefusals,
    validation_error: "Also a message that cannot be sent. The refusal names the line.",
  },
  query: z.object({
    to: repeatable(bareAddress, MAX_RECIPIENTS).describe(
      "Who gets the message, whatever its header says: an address, up to 50 times. Those that the header does not name are bcc.",
    ),
    trackOpens: yesOrNo.optional(),
    trackClicks: yesOrNo.optional(),
    onSuppressed,
    scheduledAt: scheduleTimeQuery.optional(),
    tag: tagPairs.default({}).describe("`key:value`, up to 20 times."),
  }),
  exampleQuery: { to: "success@simulator.amazonses.com" },
  fileType: "message/rfc822",
  maxBytes: SEND_MAX_BYTES,
  authenticatesItself: true,
  status: 201,
  alsoStatus: 200,
  response: acceptedEmail,
})

export const getRawEmail = endpoint({
  name: "emails.raw",
  call: "GET /emails/:id/raw",
  access: "full",
  tag: "Emails",
  summary: "Read the message that was handed over",
  description: `Also of an email that was sent as JSON. ${REF}`,
  refuses: {
    not_found: "The email is unknown, was not handed over yet, or its content was purged.",
  },
  responseType: "message/rfc822",
})
