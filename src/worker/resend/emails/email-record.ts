import type { ShownContent } from "../../emails/content/contract.ts"
import type { EmailEventType, EmailStatus, email, emailWithEvents } from "../../emails/contract.ts"
import type { Wire } from "../../webhooks/resend-records.ts"

type Email = Wire<typeof email>
type EmailWithEvents = Wire<typeof emailWithEvents>
type LastEntry = Pick<EmailWithEvents["events"][number], "type" | "recipients">

/** Lists have no timelines, so the last event is derived from the status. */
export const toEmailRecord = (
  email: Email,
  messageId: string,
  lastEvent = STATUS_AS_EVENT[email.status],
) => ({
  id: email.id,
  message_id: messageId,
  to: email.to,
  from: email.from,
  created_at: email.createdAt,
  subject: email.subject,
  cc: orNull(email.cc),
  bcc: orNull(email.bcc),
  reply_to: orNull(email.replyTo),
  last_event: lastEvent,
  scheduled_at: email.scheduledAt,
  topic_id: null,
})

/** `last` is the entry that happened last, where the email has more than a page of them. */
export const toEmail = (
  email: EmailWithEvents,
  messageId: string,
  content: ShownContent | undefined,
  last: LastEntry | undefined = email.events.at(-1),
) => ({
  object: "email",
  ...toEmailRecord(email, messageId, lastEventOf(email, last)),
  html: content?.html ?? null,
  text: content?.text ?? null,
  tags: Object.entries(email.tags).map(([name, value]) => ({ name, value })),
})

const STATUS_AS_EVENT: Record<EmailStatus, string> = {
  queued: "queued",
  scheduled: "scheduled",
  sending: "queued",
  sent: "sent",
  delivered: "delivered",
  bounced: "bounced",
  complained: "complained",
  failed: "failed",
  cancelled: "canceled",
}

const EVENT_NAMES: Partial<Record<EmailEventType, string>> = {
  cancelled: "canceled",
  delayed: "delivery_delayed",
}

function lastEventOf({ status }: Email, last: LastEntry | undefined): string {
  if (!last) return STATUS_AS_EVENT[status]
  // The recipient was suppressed after the email was accepted.
  if (last.type === "cancelled" && last.recipients) return "suppressed"
  return EVENT_NAMES[last.type] ?? last.type
}

const orNull = (list: string[]) => (list.length > 0 ? list : null)
