import { formatMailbox, type Mailbox } from "../../../lib/address.ts"
import { composeMime, dispositionOf, isInvitation } from "../mime.ts"
import type { OutgoingMessage } from "../provider.ts"

/** The limits of SES's structured content. */
const MAX_HEADERS = 15
const MAX_HEADER_VALUE_LENGTH = 870
const MAX_CONTENT_ID_LENGTH = 78
const MAX_CONTENT_TYPE_LENGTH = 78
const ASCII = /^[\x20-\x7e]*$/

/** Structured content where its limits allow it, raw MIME otherwise. */
export async function toSesContent(message: OutgoingMessage, date: number) {
  if (!isSimple(message)) {
    const mime = await composeMime(message, date)
    return { Raw: { Data: mime.toString("base64") } }
  }
  const { subject, html, text, headers, attachments } = message
  return {
    Simple: {
      Subject: utf8(subject),
      Body: {
        ...(html !== null && { Html: utf8(html) }),
        ...(text !== null && { Text: utf8(text) }),
      },
      Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
      Attachments: attachments.map(toSesAttachment),
    },
  }
}

function toSesAttachment(attachment: OutgoingMessage["attachments"][number]) {
  const { filename, content, contentType, contentId } = attachment
  return {
    FileName: filename,
    RawContent: content,
    ContentTransferEncoding: "BASE64",
    ContentDisposition: dispositionOf(attachment).toUpperCase(),
    ...(contentType && { ContentType: contentType }),
    ...(contentId && { ContentId: contentId }),
  }
}

const utf8 = (text: string) => ({ Data: text, Charset: "UTF-8" })

/** SES writes the headers of simple content from those who get the message. */
function isSimple({ headers, attachments, skipped }: OutgoingMessage): boolean {
  const fields = Object.entries(headers)
  return (
    !skipped?.length &&
    fields.length <= MAX_HEADERS &&
    fields.every(
      ([, value]) => value !== "" && ASCII.test(value) && value.length <= MAX_HEADER_VALUE_LENGTH,
    ) &&
    !attachments.some(isInvitation) &&
    attachments.every(
      ({ filename, content, contentType = "", contentId = "" }) =>
        ASCII.test(filename) &&
        content !== "" &&
        contentType.length <= MAX_CONTENT_TYPE_LENGTH &&
        contentId.length <= MAX_CONTENT_ID_LENGTH,
    )
  )
}

/** SES expects addresses as in headers: a name beyond ASCII is encoded (RFC 2047). */
export async function toSesAddress(mailbox: Mailbox): Promise<string> {
  if (!mailbox.name || ASCII.test(mailbox.name)) return formatMailbox(mailbox)
  const { encodeWord } = await import("nodemailer/lib/mime-funcs")
  return `${encodeWord(mailbox.name, "B", 52)} <${mailbox.address}>`
}
