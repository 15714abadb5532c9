import type { Email } from "../../../client/types.ts"
import { readAttachment, readContent } from "./email/body.tsx"

/** What sends the email again. */
export async function sameInput(email: Email) {
  const { html, text, headers, attachments } = await readContent(email.id)
  const files = attachments.map(async ({ contentType, contentId }, position) => ({
    ...(await readAttachment(email.id, position)),
    ...(contentType !== null && { contentType }),
    ...(contentId !== null && { contentId }),
  }))
  return {
    from: email.from,
    to: email.to,
    cc: email.cc,
    bcc: email.bcc,
    replyTo: email.replyTo,
    subject: email.subject,
    tags: email.tags,
    headers,
    ...(html === null ? { text: text ?? "" } : { html, ...(text !== null && { text }) }),
    attachments: await Promise.all(files),
  }
}
