import * as z from "zod"
import { type EmailNews, toNewsData } from "../emails/news.ts"
import { type Event, event as eventShape } from "./contract.ts"
import type { EventRow } from "./table.ts"

/** An event as its receivers see it. Emails' events are stored as rows, and shown as the API shows them. */
export function toEvent({ id, type, createdAt, data }: EventRow): Event {
  return { id, type, createdAt, data: isNews(data) ? toNewsData(data) : data }
}

const isNews = (data: object): data is EmailNews => "email" in data

/** The body of an event's deliveries: always the same text, unless an address in it is erased. */
export const toPayload = (row: EventRow): string =>
  JSON.stringify(z.encode(eventShape, toEvent(row)))
