import type { OutgoingMessage } from "../../providers/provider.ts"
import { ERASED_HOST } from "../../suppressions/erased.ts"
import type { EmailContent } from "../content.ts"
import type { EmailRow, Recipient } from "../table.ts"

export function toMessage(
  email: EmailRow,
  content: EmailContent,
  skipped: readonly string[] = [],
  returnPath?: string,
): OutgoingMessage {
  const named = (as: Recipient["as"]) => email.recipients.filter((one) => one.as === as)
  return {
    ...content,
    teamId: email.teamId,
    emailId: email.id,
    from: email.sender,
    to: named("to"),
    cc: named("cc"),
    bcc: named("bcc"),
    skipped,
    ...(returnPath && { returnPath }),
    replyTo: email.replyTo.filter(({ address }) => !address.endsWith(ERASED_HOST)),
    subject: email.subject,
    tags: email.tags,
    attempt: email.attempts,
  }
}
