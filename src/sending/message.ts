import type { EmailContent } from "../emails/content.ts"
import type { EmailRow, Recipient } from "../emails/table.ts"
import type { OutgoingMessage } from "../providers/provider.ts"

export function toMessage(email: EmailRow, content: EmailContent): OutgoingMessage {
  const named = (as: Recipient["as"]) => email.recipients.filter((one) => one.as === as)
  return {
    ...content,
    teamId: email.teamId,
    emailId: email.id,
    from: email.sender,
    to: named("to"),
    cc: named("cc"),
    bcc: named("bcc"),
    replyTo: email.replyTo,
    subject: email.subject,
    tags: email.tags,
    attempt: email.attempts,
  }
}

/**
 * The text part: the sender's own text, or else the html as plain text if this has at most `maxBytes`.
 * With an empty text, the message has no text part.
 */
export async function textPartOf(
  { html, text }: EmailContent,
  maxBytes: number,
): Promise<string | null> {
  if (text !== null || !html) return text || null
  const { htmlToText } = await import("../lib/html-text.ts")
  const made = htmlToText(html)
  return made !== "" && Buffer.byteLength(made) <= maxBytes ? made : null
}
