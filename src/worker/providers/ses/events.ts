import * as z from "zod"
import { readJson } from "../../../lib/json.ts"
import {
  type EmailEventType,
  type EventData,
  SETTLED_BY_PROVIDER_EVENT,
} from "../../emails/contract.ts"
import type { EmailRef } from "../../emails/messages.ts"
import { type EmailReport, reportOf } from "../../emails/outcomes/report.ts"
import { MAX_RECIPIENTS } from "../../emails/send-input.ts"
import { DATABASE_TAG, EMAIL_TAG, TEAM_TAG } from "./ses.ts"

const time = z.string().transform((text) => Date.parse(text))
const recipient = z.object({
  emailAddress: z.string(),
  diagnosticCode: z.string().optional(),
})

const mail = z.object({
  timestamp: time,
  messageId: z.string(),
  tags: z.record(z.string(), z.array(z.string())).default({}),
})

/** The events of SES on the outcome of a message. Opens and clicks are counted here, not by SES. */
const sesEvent = z.discriminatedUnion("eventType", [
  z.object({ eventType: z.literal("Send"), mail }),
  z.object({
    eventType: z.literal("Delivery"),
    mail,
    delivery: z.object({ timestamp: time, recipients: z.array(z.string()).max(MAX_RECIPIENTS) }),
  }),
  z.object({
    eventType: z.literal("Bounce"),
    mail,
    bounce: z.object({
      timestamp: time,
      bounceType: z.enum(["Permanent", "Transient", "Undetermined"]),
      bounceSubType: z.string().optional(),
      bouncedRecipients: z.array(recipient).max(MAX_RECIPIENTS),
    }),
  }),
  z.object({
    eventType: z.literal("Complaint"),
    mail,
    complaint: z.object({
      timestamp: time,
      complaintFeedbackType: z.string().nullish(),
      complainedRecipients: z.array(recipient).max(MAX_RECIPIENTS),
    }),
  }),
  z.object({
    eventType: z.literal("DeliveryDelay"),
    mail,
    deliveryDelay: z.object({
      timestamp: time,
      delayType: z.string(),
      delayedRecipients: z.array(recipient).max(MAX_RECIPIENTS),
    }),
  }),
  z.object({
    eventType: z.literal("Reject"),
    mail,
    reject: z.object({ reason: z.string() }),
  }),
  z.object({
    eventType: z.literal("Rendering Failure"),
    mail,
    failure: z.object({ errorMessage: z.string() }),
  }),
])
type SesEvent = z.output<typeof sesEvent>

/**
 * Reads an event of SES. Unknown events, and mail that is not ours, give no report. An email of ours
 * has at most `MAX_RECIPIENTS`.
 */
export function readSesEvent(text: string): EmailReport[] {
  const parsed = sesEvent.safeParse(readJson(text))
  if (!parsed.success) return []
  const { tags } = parsed.data.mail
  const emailId = tags[EMAIL_TAG]?.[0]
  const teamId = tags[TEAM_TAG]?.[0]
  const number = tags[DATABASE_TAG]?.[0]
  const place = number === undefined ? {} : { database: Number(number) }
  return emailId && teamId ? reportsOf({ teamId, emailId, ...place }, parsed.data) : []
}

/** Ids are derived from the event, so that a notification that comes twice counts once. */
function reportsOf(ref: EmailRef, event: SesEvent): EmailReport[] {
  const { mail } = event
  const each = openEach(ref)
  switch (event.eventType) {
    case "Send":
      return [sentReport(ref, mail)]
    case "Delivery": {
      const { timestamp, recipients } = event.delivery
      return each(
        "delivered",
        timestamp,
        recipients.map((emailAddress) => ({ emailAddress })),
      )
    }
    case "Bounce": {
      const { timestamp, bouncedRecipients, bounceType, bounceSubType } = event.bounce
      const data = { bounceType, ...(bounceSubType && { bounceSubType }) }
      return each("bounced", timestamp, bouncedRecipients, data)
    }
    case "Complaint": {
      const { timestamp, complainedRecipients, complaintFeedbackType } = event.complaint
      const data = complaintFeedbackType ? { complaintFeedbackType } : {}
      return each("complained", timestamp, complainedRecipients, data)
    }
    case "DeliveryDelay": {
      const { timestamp, delayedRecipients, delayType } = event.deliveryDelay
      // SES has taken the message, so it must not be sent again. A delay alone changes no status.
      return [
        sentReport(ref, mail),
        ...each("delayed", timestamp, delayedRecipients, { reason: delayType }),
      ]
    }
    case "Reject":
      return [reportOf(ref, "failed", mail.timestamp, { reason: event.reject.reason })]
    case "Rendering Failure":
      return [reportOf(ref, "failed", mail.timestamp, { reason: event.failure.errorMessage })]
  }
}

function sentReport(ref: EmailRef, { timestamp, messageId }: SesEvent["mail"]): EmailReport {
  const sent = reportOf(ref, "sent", timestamp, { reason: SETTLED_BY_PROVIDER_EVENT })
  return { ...sent, providerMessageId: messageId }
}

/** A report for each recipient. */
const openEach =
  (ref: EmailRef) =>
  (
    type: EmailEventType,
    occurredAt: number,
    recipients: z.output<typeof recipient>[],
    data: EventData = {},
  ) =>
    recipients.map(({ emailAddress, diagnosticCode }) => {
      const address = emailAddress.toLowerCase()
      const reported = { ...data, ...(diagnosticCode && { diagnosticCode }) }
      return reportOf(ref, type, occurredAt, { ...reported, recipients: [address] }, address)
    })
