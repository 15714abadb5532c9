import * as z from "zod"
import { findAddress } from "../../../lib/address.ts"
import { isId, timeOf } from "../../../lib/id.ts"
import { readJson } from "../../../lib/json.ts"
import { log } from "../../../lib/log.ts"
import {
  type EmailEventType,
  type EventData,
  SETTLED_BY_PROVIDER_EVENT,
} from "../../emails/contract.ts"
import type { EmailRef } from "../../emails/messages.ts"
import { type EmailReport, reportOf } from "../../emails/outcomes/report.ts"
import { MAX_RECIPIENTS } from "../../emails/send-input.ts"
import { DATABASE_TAG, EMAIL_TAG, TEAM_TAG } from "./ses.ts"

/** What is odd, null or missing counts as unknown: the rest of the event still counts. */
const words = z.string().min(1).optional().catch(undefined)
const time = z.string().transform(Date.parse).pipe(z.number()).optional().catch(undefined)
const list = z.array(z.unknown()).catch([])

const mail = z.object({
  timestamp: time,
  messageId: words,
  destination: list,
  tags: z.unknown().optional(),
})

/** The members of all kinds of events. */
const details = z.object({
  timestamp: time,
  bounceType: z.enum(["Permanent", "Transient", "Undetermined"]).catch("Undetermined"),
  bounceSubType: words,
  complaintFeedbackType: words,
  delayType: words,
  reason: words,
  errorMessage: words,
  recipients: list,
  bouncedRecipients: list,
  complainedRecipients: list,
  delayedRecipients: list,
})
const recipient = z.object({ emailAddress: words, diagnosticCode: words })

/** The events on the outcome of a message, and the member with their details. */
const MEMBERS: Record<string, string> = {
  Send: "send",
  Delivery: "delivery",
  Bounce: "bounce",
  Complaint: "complaint",
  DeliveryDelay: "deliveryDelay",
  Reject: "reject",
  "Rendering Failure": "failure",
}
/** Opens and clicks are counted here, not by SES. */
const NOT_COUNTED = ["Open", "Click", "Subscription"]

type Fields = Record<string, unknown>
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {}

/** Reads an event of SES. Unknown events, and mail that is not ours, give no report. */
export function readSesEvent(text: string): EmailReport[] {
  const fields = fieldsOf(readJson(text))
  const eventType = String(fields.eventType)
  if (NOT_COUNTED.includes(eventType)) return []
  const member = Object.hasOwn(MEMBERS, eventType) && MEMBERS[eventType]
  if (!member) return unread("eventType")
  const about = mail.parse(fieldsOf(fields.mail))
  const ref = refOf(fieldsOf(about.tags))
  if (!ref) return []
  return reportsOf(ref, {
    eventType,
    messageId: about.messageId,
    sentAt: about.timestamp ?? timeOf(ref.emailId),
    destination: about.destination,
    ...details.parse(fieldsOf(fields[member])),
  })
}

interface SesEvent extends z.output<typeof details> {
  eventType: string
  messageId: string | undefined
  sentAt: number
  destination: unknown[]
}

/** Null without our tags. */
function refOf(tags: Fields): EmailRef | null {
  const [emailId, teamId, number] = [EMAIL_TAG, TEAM_TAG, DATABASE_TAG].map((name) =>
    words.parse([tags[name]].flat()[0]),
  )
  if (!emailId && !teamId) return null
  if (!emailId || !teamId || !isId("email", emailId)) {
    unread("mail.tags")
    return null
  }
  return { teamId, emailId, ...(number && /^\d+$/.test(number) && { database: Number(number) }) }
}

/** The log names what could not be read, without its content. */
function unread(member: string, email: string | null = null): [] {
  log("warn", { provider: "ses", unread: member, email })
  return []
}

/** Ids are derived from the event, so that a notification that comes twice counts once. */
function reportsOf(ref: EmailRef, event: SesEvent): EmailReport[] {
  const { sentAt, timestamp = sentAt, bounceType, bounceSubType, complaintFeedbackType } = event
  const each = openEach(ref, timestamp, event.destination)
  switch (event.eventType) {
    case "Send":
      return [sentReport(ref, event)]
    case "Delivery":
      return each("delivered", event.recipients)
    case "Bounce":
      return each("bounced", event.bouncedRecipients, {
        bounceType,
        ...(bounceSubType && { bounceSubType }),
      })
    case "Complaint":
      return each(
        "complained",
        event.complainedRecipients,
        complaintFeedbackType ? { complaintFeedbackType } : {},
      )
    case "DeliveryDelay":
      // SES has taken the message, so it must not be sent again. A delay alone changes no status.
      return [
        sentReport(ref, event),
        ...each("delayed", event.delayedRecipients, because(event.delayType)),
      ]
    case "Reject":
      return [reportOf(ref, "failed", sentAt, because(event.reason))]
    default:
      return [reportOf(ref, "failed", sentAt, because(event.errorMessage))]
  }
}

const because = (reason?: string): EventData => (reason ? { reason } : {})

function sentReport(ref: EmailRef, { sentAt, messageId }: SesEvent): EmailReport {
  const sent = reportOf(ref, "sent", sentAt, { reason: SETTLED_BY_PROVIDER_EVENT })
  return { ...sent, ...(messageId && { providerMessageId: messageId }) }
}

/**
 * A report for each recipient, or one that names nobody. An email of ours has at most
 * `MAX_RECIPIENTS`; a mail with one recipient concerns that one.
 */
const openEach =
  (ref: EmailRef, occurredAt: number, destination: readonly unknown[]) =>
  (type: EmailEventType, recipients: readonly unknown[], data: EventData = {}): EmailReport[] => {
    const named = recipients.slice(0, MAX_RECIPIENTS).flatMap(readRecipient)
    if (named.length < recipients.length || named.length === 0) unread("recipients", ref.emailId)
    const only = destination.length === 1 ? destination.flatMap(readRecipient) : []
    const known = named.length > 0 ? named : only
    if (known.length === 0) return [reportOf(ref, type, occurredAt, data)]
    return known.map(({ address, diagnosticCode }) => {
      const reported = { ...data, ...(diagnosticCode && { diagnosticCode }) }
      return reportOf(ref, type, occurredAt, { ...reported, recipients: [address] }, address)
    })
  }

/** SES may report the text of the header: a name and an address. */
function readRecipient(value: unknown) {
  const { emailAddress, diagnosticCode } =
    typeof value === "string"
      ? { emailAddress: value, diagnosticCode: undefined }
      : recipient.parse(fieldsOf(value))
  const address = findAddress(emailAddress ?? "")
  return address === null ? [] : [{ address, diagnosticCode }]
}
