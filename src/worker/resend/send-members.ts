import * as z from "zod"
import { ResendError, unsupported } from "./errors.ts"
import { members } from "./route.ts"

/** No list in our schemas may have as many items. */
const MANY = 100

export const sendMembers = members(
  "from",
  "to",
  "cc",
  "bcc",
  "reply_to",
  "subject",
  "html",
  "text",
  "headers",
  "scheduled_at",
  "topic_id",
).extend({
  tags: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .max(MANY)
    .optional(),
  attachments: z
    .array(members("filename", "content", "path", "content_type", "content_id"))
    .max(MANY)
    .optional(),
  template: members("id", "variables").optional(),
})
type SendMembers = z.output<typeof sendMembers>

/** An email with the names of our own API. */
export function toSendInput({ tags, template, attachments, ...email }: SendMembers) {
  if (email.topic_id) throw unsupported("topic_id", "Only campaigns have topics.")
  return {
    from: email.from,
    to: email.to,
    cc: email.cc,
    bcc: email.bcc,
    replyTo: email.reply_to,
    subject: email.subject,
    html: email.html,
    text: email.text,
    headers: email.headers,
    scheduledAt: email.scheduled_at,
    onSuppressed: "skip",
    template: template?.id,
    variables: template?.variables,
    tags: tags && toTags(tags),
    attachments: attachments?.map(toAttachment),
  }
}

function toTags(tags: { name: string; value: string }[]) {
  const names = tags.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    throw unsupported("tags", `The tag ${JSON.stringify(twice)} is there twice.`)
  }
  return Object.fromEntries(tags.map(({ name, value }) => [name, value]))
}

type Attachment = NonNullable<SendMembers["attachments"]>[number]

function toAttachment({ path, content, filename, content_type, content_id }: Attachment) {
  if (path !== undefined && path !== null) {
    throw new ResendError(
      422,
      "invalid_attachment",
      "`path` of an attachment is not supported: Edgepost fetches no files. Read the file and send it as `content`.",
    )
  }
  return Object.fromEntries(
    Object.entries({
      filename,
      content: toBase64(content),
      contentType: content_type,
      contentId: content_id,
    }).filter(([, value]) => value !== undefined && value !== null),
  )
}

const bufferAsJson = z.object({
  type: z.literal("Buffer"),
  data: z.array(z.int().min(0).max(255)),
})

/** Earlier versions of the package send a Buffer as a list of bytes. */
function toBase64(content: unknown): unknown {
  const buffer = typeof content === "object" ? bufferAsJson.safeParse(content) : undefined
  return buffer?.success ? Buffer.from(buffer.data.data).toString("base64") : content
}
