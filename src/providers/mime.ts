import { domainOf } from "../lib/address.ts"
import type { OutgoingMessage } from "./provider.ts"

/** The message of RFC 5322, without its bcc recipients. */
export async function composeMime(message: OutgoingMessage, date: number): Promise<Buffer> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer")
  const { html, text, attachments } = message
  return new MailComposer({
    from: toNodemailer(message.from),
    to: message.to.map(toNodemailer),
    cc: message.cc.map(toNodemailer),
    replyTo: message.replyTo.map(toNodemailer),
    subject: message.subject,
    messageId: messageIdOf(message),
    date: new Date(date),
    headers: Object.entries(message.headers).map(([key, value]) => ({ key, value })),
    ...(html !== null && { html }),
    ...(text !== null && { text }),
    attachments: attachments.map(({ filename, content, contentType, contentId }) => ({
      filename,
      content,
      encoding: "base64" as const,
      ...(contentType && { contentType }),
      ...(contentId && { cid: contentId, contentDisposition: "inline" as const }),
    })),
  })
    .compile()
    .build()
}

/** Our own Message-ID: the email's id at the sender's domain. */
export const messageIdOf = ({ emailId, from }: OutgoingMessage) =>
  `<${emailId}@${domainOf(from.address)}>`

const toNodemailer = ({ address, name }: OutgoingMessage["from"]) => ({ address, name: name ?? "" })
