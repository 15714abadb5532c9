import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"

const file = z.object({
  filename: z.string(),
  contentType: z.string().nullable(),
  contentId: z.string().nullable().describe("Set on an image that the html shows."),
  bytes: z.int(),
})

const emailContent = z
  .object({
    html: z.string().nullable(),
    text: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    attachments: z.array(file),
  })
  .meta({
    id: "EmailContent",
    example: {
      html: "<p>Hi there</p>",
      text: null,
      headers: {},
      attachments: [],
    },
  })
export type ShownContent = z.output<typeof emailContent>

const common = {
  access: "session",
  dashboardRole: "member",
  tag: "Dashboard",
} as const

const refuses = { not_found: "The email is unknown, or its content was purged." }

export const getEmailContent = endpoint({
  ...common,
  name: "emails.content",
  call: "GET /emails/:id/content",
  summary: "Read the body of an email",
  description: "As it was accepted, before links are tracked. Files are read one by one.",
  refuses,
  response: emailContent,
})

export const getEmailSource = endpoint({
  ...common,
  name: "emails.source",
  call: "GET /emails/:id/source",
  summary: "Read an email as the message of RFC 5322",
  description: "Without its bcc recipients, before links are tracked.",
  refuses,
  response: z.object({ source: z.string() }).meta({
    example: { source: "From: Edgepost <hello@demo.test>\r\nSubject: It works\r\n…" },
  }),
})

export const getEmailAttachment = endpoint({
  ...common,
  name: "emails.attachment",
  call: "GET /emails/:id/attachments/:position",
  summary: "Download a file of an email",
  description: "`position` counts from 0, in the order of the content's `attachments`.",
  refuses: { not_found: "The email has no such file, or its content was purged." },
  response: z
    .object({ filename: z.string(), content: z.string().describe("Base64.") })
    .meta({ example: { filename: "invoice.txt", content: "SGk=" } }),
})
