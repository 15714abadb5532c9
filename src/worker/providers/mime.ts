import { domainOf, type Mailbox } from "../../lib/address.ts"
import { withLineEnds } from "../../lib/line-ends.ts"
import type { EmailContent } from "../emails/content.ts"
import { writeFields } from "./header-fields.ts"
import { createLargeParts, type LargeParts } from "./large-parts.ts"
import type { OutgoingMessage } from "./provider.ts"

export type MimeParts = EmailContent &
  Pick<OutgoingMessage, "emailId" | "from" | "to" | "cc" | "replyTo" | "subject">

/** The message of RFC 5322, without its bcc recipients. */
export async function composeMime(message: MimeParts, date: number): Promise<Buffer> {
  if (message.raw) return message.raw
  const { outline, large } = await outlineMime(message, date)
  return Buffer.concat([...large.putInto(outline)])
}

/** The same in pieces, so that a large message is not copied whole. */
export async function streamMime(message: MimeParts, date: number): Promise<Iterable<Buffer>> {
  if (message.raw) return [message.raw]
  const { outline, large } = await outlineMime(message, date)
  return large.putInto(outline)
}

/** The message with stand-ins for its large parts, and these parts. */
export async function outlineMime(message: MimeParts, date: number) {
  const large = createLargeParts(message.emailId)
  const fields = Buffer.from(await writeFields(message.subject, message.headers))
  const rest = await (await compile(message, date, large)).build()
  return { outline: Buffer.concat([fields, rest]), large }
}

async function compile(message: MimeParts, date: number, large: LargeParts) {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer")
  const { encodeWord } = await import("nodemailer/lib/mime-funcs")
  // nodemailer encodes names beyond ASCII only. A name that looks encoded must be encoded too.
  const named = ({ address, name = "" }: Mailbox) => ({
    address,
    name: name.includes("=?") ? encodeWord(name, "Q", 52) : name,
  })
  const { html, text, attachments } = message
  const partOf = (text: string) => {
    if (text.length <= LONG_CHARACTERS) return text.replace(LINE_END, "\r\n")
    const standIn = large.standIn(withLineEnds(Buffer.from(text)).toString("base64"))
    return { content: standIn, encoding: "base64", contentTransferEncoding: "base64" }
  }
  const fileOf = ({ content }: Attachment) => ({
    content: content.length > LARGE_FILE_CHARACTERS ? large.standIn(content) : content,
    encoding: "base64" as const,
  })
  const invitation = attachments.find(isInvitation)
  const files = await withTypes(attachments.filter((attachment) => attachment !== invitation))
  return new MailComposer({
    from: named(message.from),
    to: message.to.map(named),
    cc: message.cc.map(named),
    replyTo: message.replyTo.map(named),
    messageId: messageIdOf(message),
    date: new Date(date),
    // The same message is always the same bytes.
    baseBoundary: message.emailId,
    ...(html !== null && { html: partOf(html) }),
    ...(text !== null && { text: partOf(text) }),
    alternatives: invitation
      ? [
          {
            ...fileOf(invitation),
            contentType: invitation.contentType,
            contentTransferEncoding: "base64" as const,
          },
        ]
      : [],
    attachments: files.map((attachment) => {
      const { filename, contentType, contentId } = attachment
      return {
        filename,
        ...fileOf(attachment),
        contentDisposition: dispositionOf(attachment),
        contentType,
        ...(contentId && { cid: contentId }),
      }
    }),
  }).compile()
}

const LONG_CHARACTERS = 512 * 1024
const LARGE_FILE_CHARACTERS = 64 * 1024

/** RFC 5322 allows CR and LF only together. */
const LINE_END = /\r\n|\r|\n/g
/** The Message-ID: the sender's own, or the email's id at the sender's domain. */
export const messageIdOf = ({
  emailId,
  from,
  messageId = `<${emailId}@${domainOf(from.address)}>`,
}: Pick<MimeParts, "emailId" | "from" | "messageId">) => messageId

type Attachment = MimeParts["attachments"][number]

/** The files with their types: that of the name, unless another is given. */
export async function withTypes(attachments: readonly Attachment[]) {
  const typeOf = await fileTypes()
  return attachments.map((attachment) => ({
    ...attachment,
    contentType: asOneFile(attachment.contentType ?? typeOf(attachment.filename)),
  }))
}

/** Files that people attach and nodemailer does not know, by the end of their names. */
const MORE_TYPES = new Map([
  ["asc", "application/pgp-signature"],
  ["avif", "image/avif"],
  ["flac", "audio/flac"],
  ["gpx", "application/gpx+xml"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["key", "application/vnd.apple.keynote"],
  ["m4a", "audio/mp4"],
  ["md", "text/markdown"],
  ["mkv", "video/x-matroska"],
  ["numbers", "application/vnd.apple.numbers"],
  ["ogg", "audio/ogg"],
  ["opus", "audio/ogg"],
  ["pages", "application/vnd.apple.pages"],
  ["pem", "application/x-pem-file"],
  ["pkpass", "application/vnd.apple.pkpass"],
  ["pkpasses", "application/vnd.apple.pkpasses"],
  ["psd", "image/vnd.adobe.photoshop"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
])

/** The type of a file, by its name. */
async function fileTypes(): Promise<(filename: string) => string> {
  const { detectMimeType } = await import("nodemailer/lib/mime-funcs")
  return (filename) => {
    const end = filename.slice(filename.lastIndexOf(".") + 1).toLowerCase()
    return MORE_TYPES.get(end) ?? detectMimeType(filename)
  }
}

/** Files are sent as base64, which RFC 2045 forbids for the types of composed parts. */
const asOneFile = (contentType: string) =>
  /^(multipart|message)\//i.test(contentType) ? "application/octet-stream" : contentType

/** Images of the HTML are inline. Inline text would be shown as part of the message. */
export const dispositionOf = ({ contentType, contentId }: Attachment & { contentType: string }) =>
  contentId && !/^text\/(plain|html)/i.test(contentType) ? "inline" : "attachment"

/**
 * A calendar with a method, such as `REQUEST`. Mail programs show one among the alternatives of the
 * body as an invitation to answer (RFC 6047), and one among the files as a file.
 */
export const isInvitation = ({ contentType = "", contentId }: Attachment) =>
  !contentId && /^text\/calendar *;.*\bmethod=/i.test(contentType)
