import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"

export const EVENT_TYPES = [
  "email.sent",
  "email.delivered",
  "email.delayed",
  "email.bounced",
  "email.complained",
  "email.opened",
  "email.clicked",
  "email.failed",
  "domain.verified",
  "domain.failed",
  "contact.created",
  "contact.updated",
  "contact.unsubscribed",
  "contact.resubscribed",
  "campaign.sent",
  "campaign.completed",
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Something that a team's webhooks may be told of. */
export interface TeamEvent {
  /** `evt_`; the same happening always has the same id. */
  id: string
  teamId: string
  type: EventType
  createdAt: number
  /** As it stands in the payload: a record of the REST API under its noun. */
  data: Record<string, unknown>
}

/** The statements that store events with the deliveries they cause: part of the batch that makes the change. */
export function storeEvents(_work: Work, _events: readonly TeamEvent[]): Query[] {
  return []
}

/** After the commit: hands what `storeEvents` wrote to the queue. */
export async function announceEvents(_work: Work, _events: readonly TeamEvent[]): Promise<void> {}
