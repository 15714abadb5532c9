import * as z from "zod"
import {
  type EmailEventType,
  type EventData,
  emailEvent,
  email as emailShape,
} from "../emails/contract.ts"
import { type ShownEmail, toEmail } from "../emails/view.ts"
import type { EventRow } from "../events/table.ts"
import type { WebhookFormat } from "../events/types.ts"
import { type Event, event as eventShape } from "./contract.ts"
import { toResendEvent } from "./resend-event.ts"

type StoredEvent = Pick<EventRow, "id" | "type" | "createdAt" | "data">

/** An event as its receivers see it. Emails' events are stored as rows, and shown as in the API. */
export function toEvent({ id, type, createdAt, data }: StoredEvent): Event {
  return { id, type, createdAt, data: isNews(data) ? toNewsData(data) : data }
}

/** An event's `data` as it is stored: the email's row right after it, and its timeline entry. */
export interface EmailNews {
  email: ShownEmail
  event: { type: EmailEventType; occurredAt: number; data: EventData }
}

const isNews = (data: object): data is EmailNews => "email" in data

const newsShape = z.object({ email: emailShape, event: emailEvent.omit({ id: true }) })

function toNewsData({ email, event }: EmailNews): Record<string, unknown> {
  const { data, ...entry } = event
  return z.encode(newsShape, { email: toEmail(email), event: { ...data, ...entry } })
}

/** The body of an event's deliveries, as JSON shows it. */
export function bodyOf(row: StoredEvent, format: WebhookFormat) {
  const event = z.encode(eventShape, toEvent(row))
  return format === "resend" ? toResendEvent(event) : event
}

/** Always the same text, unless an address in it is erased or the webhook's format changes. */
export const toPayload = (row: StoredEvent, format: WebhookFormat): string =>
  JSON.stringify(bodyOf(row, format))
