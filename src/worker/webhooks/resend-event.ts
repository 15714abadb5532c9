import { formatMailbox } from "../../lib/address.ts"
import type { campaign as campaignShape } from "../campaigns/contract.ts"
import type { contact as contactShape } from "../contacts/shapes.ts"
import type { domain as domainShape } from "../domains/contract.ts"
import type { emailEvent, email as emailShape } from "../emails/contract.ts"
import type { received as receivedShape } from "../received/contract.ts"
import type { event } from "./contract.ts"
import type { EventType } from "./events/types.ts"
import { toResendContact, toResendDomain, type Wire } from "./resend-records.ts"

/** Resend's type for each event. Resend has no events of campaigns and sequences: those keep their own type. */
export const RESEND_TYPES = {
  "email.sent": "email.sent",
  "email.delivered": "email.delivered",
  "email.delayed": "email.delivery_delayed",
  "email.bounced": "email.bounced",
  "email.complained": "email.complained",
  "email.opened": "email.opened",
  "email.clicked": "email.clicked",
  "email.failed": "email.failed",
  "domain.verified": "domain.updated",
  "domain.failed": "domain.updated",
  "contact.created": "contact.created",
  "contact.updated": "contact.updated",
  "contact.unsubscribed": "contact.updated",
  "contact.resubscribed": "contact.updated",
  "contact.pending": "contact.updated",
  "contact.confirmed": "contact.updated",
  "campaign.sent": "campaign.sent",
  "campaign.completed": "campaign.completed",
  "email.received": "email.received",
  "email.replied": "email.replied",
  "sequence.started": "sequence.started",
  "sequence.finished": "sequence.finished",
  "sequence.reached": "sequence.reached",
  "sequence.held": "sequence.held",
} as const satisfies Record<EventType, string>

type MessageIdOf = (email: { id: string; from: string }) => string

/** The body of a delivery in the shape that Resend gives it. */
export const toResendEvent = (
  { type, createdAt, data }: Wire<typeof event>,
  messageIdOf: MessageIdOf,
) => ({
  type: RESEND_TYPES[type],
  created_at: createdAt,
  data: toData(data, messageIdOf),
})

type Email = Wire<typeof emailShape>
type Entry = Omit<Wire<typeof emailEvent>, "id">

interface EventRecords {
  email?: Email
  event?: Entry
  domain?: Wire<typeof domainShape>
  contact?: Wire<typeof contactShape>
  campaign?: Wire<typeof campaignShape>
  received?: Wire<typeof receivedShape>
}

/** A test event has no such record and stays unchanged. */
function toData(data: Record<string, unknown>, messageIdOf: MessageIdOf): Record<string, unknown> {
  const { email, event, domain, contact, campaign, received } = data as EventRecords
  if (email && event) return toEmailData(email, event, messageIdOf(email))
  if (received) return toReceivedData(received)
  if (domain) return toResendDomain(domain)
  if (contact) {
    const { bookId, updatedAt } = contact
    const book = { audience_id: bookId, segment_ids: [bookId], updated_at: updatedAt }
    return { ...toResendContact(contact), ...book }
  }
  return campaign ?? data
}

/** Resend's event has no texts: its receivers ask for them. */
const toReceivedData = (received: Wire<typeof receivedShape>) => ({
  email_id: received.id,
  created_at: received.createdAt,
  from: formatMailbox({ address: received.from.email, name: received.from.name ?? "" }),
  to: received.to?.map(({ email }) => email) ?? [],
  bcc: [],
  cc: received.cc?.map(({ email }) => email) ?? [],
  received_for: [received.envelope.to],
  message_id: received.messageId ?? "",
  subject: received.subject,
  attachments: (received.attachments ?? []).map(({ id, filename, contentType, contentId }) => ({
    id,
    filename,
    content_type: contentType,
    content_disposition: contentId ? "inline" : "attachment",
    content_id: contentId,
  })),
})

const toEmailData = (email: Email, event: Entry, messageId: string) => ({
  created_at: email.createdAt,
  email_id: email.id,
  message_id: messageId,
  from: email.from,
  to: email.to,
  subject: email.subject,
  tags: email.tags,
  ...(email.campaignId && { broadcast_id: email.campaignId }),
  ...(email.templateId && { template_id: email.templateId }),
  ...detailsOf(event),
})

function detailsOf(event: Entry) {
  switch (event.type) {
    case "bounced":
      return {
        bounce: {
          type: event.bounceType ?? "Undetermined",
          subType: event.bounceSubType ?? "General",
          message: event.diagnosticCode ?? event.reason ?? "",
        },
      }
    case "clicked":
      return { click: { ...visitOf(event), link: event.url ?? "" } }
    case "opened":
      return { open: visitOf(event) }
    case "failed":
      return { failed: { reason: event.reason ?? "" } }
    default:
      return {}
  }
}

const visitOf = ({ ip, userAgent, occurredAt }: Entry) => ({
  ipAddress: ip ?? "",
  timestamp: occurredAt,
  userAgent: userAgent ?? "",
})
