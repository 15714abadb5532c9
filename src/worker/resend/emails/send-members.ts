import * as z from "zod"
import { ResendError, unsupported } from "../errors.ts"
import { defined, members, unlessEmptyList } from "../route.ts"

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
    .array(
      members(
        ...["filename", "content", "path", "content_type", "content_id"],
        // Names that some libraries of Resend send for the last two.
        ...["contentType", "inline_content_id"],
      ),
    )
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
    headers: unlessEmptyList(email.headers),
    scheduledAt: email.scheduled_at,
    onSuppressed: "skip",
    template: template?.id,
    variables: unlessEmptyList(template?.variables),
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

function toAttachment({ filename, content, path, ...more }: Attachment) {
  if (isGiven(path)) {
    throw new ResendError(
      422,
      "invalid_attachment",
      "`path` of an attachment is not supported: Edgepost fetches no files. Read the file and send it as `content`.",
    )
  }
  return defined({
    // Invitations and attached messages that are forwarded often have no name.
    filename: isGiven(filename) ? filename : "attachment",
    content: toBase64(content),
    contentType: [more.content_type, more.contentType].find(isGiven),
    contentId: [more.content_id, more.inline_content_id].find(isGiven),
  })
}

/** Some libraries send the empty text for what is not given, and Resend's own has `filename: false`. */
const isGiven = (value: unknown) => value !== undefined && value !== "" && value !== false

/** Libraries send the bytes of a file as base64, as a list, or as the JSON of a Buffer. */
function toBase64(content: unknown): unknown {
  const bytes = isBufferAsJson(content) ? content.data : content
  return isBytes(bytes) ? Buffer.from(bytes).toString("base64") : content
}

const isBufferAsJson = (content: unknown): content is { data: unknown } =>
  typeof content === "object" && content !== null && "type" in content && content.type === "Buffer"

const isBytes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && 0 <= byte && byte <= 0xff)
