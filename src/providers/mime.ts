import type { Readable } from "node:stream"
import type { EmailContent } from "../emails/content.ts"
import { domainOf, type Mailbox } from "../lib/address.ts"
import type { OutgoingMessage } from "./provider.ts"

/**
 * nodemailer yields to the event loop a dozen times a message. A Worker's `setImmediate` is a timer,
 * and timers fire a millisecond apart.
 */
globalThis.setImmediate = process.nextTick as never

export type MimeParts = EmailContent &
  Pick<OutgoingMessage, "emailId" | "from" | "to" | "cc" | "replyTo" | "subject">

/** The message of RFC 5322, without its bcc recipients. */
export async function composeMime(message: MimeParts, date: number): Promise<Buffer> {
  return (await compile(message, date)).build()
}

/** The same as a stream, so that a large message is not copied whole. */
export async function streamMime(message: MimeParts, date: number): Promise<Readable> {
  return (await compile(message, date)).createReadStream()
}

async function compile(message: MimeParts, date: number) {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer")
  const { encodeWord } = await import("nodemailer/lib/mime-funcs")
  const encoded = (text: string) => encodeWord(text, "Q", 52)
  // nodemailer encodes text beyond ASCII only. Text that looks encoded, or is too long for a line,
  // must be encoded too.
  const subjectOf = ({ subject }: MimeParts) =>
    /=\?|\S{900}/.test(subject)
      ? { prepared: true, foldLines: true, value: encoded(subject) }
      : subject
  const named = ({ address, name = "" }: Mailbox) => ({
    address,
    name: name.includes("=?") ? encoded(name) : name,
  })
  const { html, text, attachments } = message
  const spelling = new Map(Object.keys(message.headers).map((name) => [name.toLowerCase(), name]))
  return new MailComposer({
    from: named(message.from),
    to: message.to.map(named),
    cc: message.cc.map(named),
    replyTo: message.replyTo.map(named),
    messageId: messageIdOf(message),
    date: new Date(date),
    // The same message is always the same bytes.
    baseBoundary: message.emailId,
    headers: [
      ...Object.entries(message.headers).map(([key, value]) => ({ key, value })),
      { key: "Subject", value: subjectOf(message) },
    ],
    normalizeHeaderKey: (name: string) => spelling.get(name.toLowerCase()) ?? name,
    ...(html !== null && { html: partOf(html) }),
    ...(text !== null && { text: partOf(text) }),
    attachments: attachments.map((attachment) => {
      const { filename, content, contentType, contentId } = attachment
      return {
        filename,
        content,
        encoding: "base64" as const,
        contentDisposition: dispositionOf(attachment),
        ...(contentType && { contentType: contentType.replace(COMPOSITE, OPAQUE) }),
        ...(contentId && { cid: contentId }),
      }
    }),
  }).compile()
}

export const LONG_CHARACTERS = 512 * 1024

/** nodemailer looks at each letter to choose an encoding, and takes longer to write the other one. */
const partOf = (text: string) => {
  const content = text.replace(LINE_END, "\r\n")
  return text.length > LONG_CHARACTERS ? { content, contentTransferEncoding: "base64" } : content
}

/** RFC 5322 allows CR and LF only together. */
const LINE_END = /\r\n|\r|\n/g

/** The Message-ID: the email's id at the sender's domain. */
export const messageIdOf = ({ emailId, from }: Pick<MimeParts, "emailId" | "from">) =>
  `<${emailId}@${domainOf(from.address)}>`

type Attachment = MimeParts["attachments"][number]

/** Images of the HTML are inline. Inline text would be shown as part of the message. */
export const dispositionOf = (attachment: Attachment) =>
  attachment.contentId && !isText(attachment) ? "inline" : "attachment"

const isText = ({ contentType, filename }: Attachment) =>
  contentType ? /^text\/(plain|html)/i.test(contentType) : /\.(txt|text|html?)$/i.test(filename)

/** Files are sent as base64, which RFC 2045 forbids for these types. */
const COMPOSITE = /^(multipart|message)\/.*$/i
const OPAQUE = "application/octet-stream"
