import type { Campaign, Contact, Domain, Email, EmailEvent, Event } from "./types.ts"

type EventType = Event["type"]
type Of<Noun extends string> = Extract<EventType, `${Noun}.${string}`>
type Typed<Types extends EventType, Data> = {
  [Type in Types]: {
    /** `evt_…`; the same at every retry: deduplicate by it. */
    id: string
    type: Type
    createdAt: string
    data: Data
  }
}[Types]

/** The email right after the event, and the event as the timeline has it. A test call sends `{ "test": true }` alone. */
export interface EmailEventData {
  email: Email
  event: Omit<EmailEvent, "id">
}

/** What a webhook's request tells. */
export type WebhookEvent =
  | Typed<Of<"email">, EmailEventData>
  | Typed<Of<"domain">, { domain: Domain }>
  | Typed<Of<"contact">, { contact: Contact }>
  | Typed<Of<"campaign">, { campaign: Campaign }>
