import * as z from "zod"
import {
  type EmailEventType,
  type EventData,
  emailEvent,
  email as emailShape,
} from "../emails/contract.ts"
import { type ShownEmail, toEmail } from "../emails/view.ts"
import type { Settings } from "../platform/env.ts"
import { type Event, event as eventShape } from "./contract.ts"
import type { EventRow } from "./events/table.ts"
import type { WebhookFormat } from "./events/types.ts"
import { toResendEvent } from "./resend-event.ts"
import { messageIdOf } from "./resend-records.ts"

export type StoredEvent = Pick<EventRow, "id" | "type" | "createdAt" | "data">

/** An event as its receivers see it. Emails' events are stored as rows, and shown as in the API. */
export function toEvent({ id, type, createdAt, data }: StoredEvent): Event {
  return { id, type, createdAt, data: isOfEmail(data) ? toEmailData(data) : data }
}

/** The `data` of an email's event as it is stored: the email's row right after it, and its timeline entry. */
export interface EmailEventData {
  email: ShownEmail
  event: { type: EmailEventType; occurredAt: number; data: EventData }
}

const isOfEmail = (data: object): data is EmailEventData => "email" in data

const emailDataShape = z.object({ email: emailShape, event: emailEvent.omit({ id: true }) })

function toEmailData({ email, event }: EmailEventData): Record<string, unknown> {
  const { data, ...entry } = event
  return z.encode(emailDataShape, { email: toEmail(email), event: { ...data, ...entry } })
}

/** The body of an event's deliveries, as JSON shows it. */
export function bodyOf(row: StoredEvent, format: WebhookFormat, settings: Settings) {
  const event = z.encode(eventShape, toEvent(row))
  if (format !== "resend") return event
  // Events of an earlier release lack it.
  const { providerMessageId = null } = isOfEmail(row.data) ? row.data.email : {}
  return toResendEvent(event, (email) => messageIdOf(email, providerMessageId, settings))
}

/** Always the same text, unless an address in it is erased or the webhook's format changes. */
export const toPayload = (row: StoredEvent, format: WebhookFormat, settings: Settings): string =>
  JSON.stringify(bodyOf(row, format, settings))

/** Resend names the headers of Standard Webhooks as Svix does. */
export const headersOf = (format: WebhookFormat, headers: Record<string, string>) =>
  format === "edgepost"
    ? headers
    : Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) => [
          [name, value],
          ...(name.startsWith("webhook-") ? [[name.replace("webhook-", "svix-"), value]] : []),
        ]),
      )
