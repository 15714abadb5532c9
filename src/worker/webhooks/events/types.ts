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
  "contact.pending",
  "contact.confirmed",
  "campaign.sent",
  "campaign.completed",
  "email.received",
  "email.replied",
  "sequence.started",
  "sequence.finished",
  "sequence.reached",
  "sequence.held",
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export const WEBHOOK_FORMATS = ["edgepost", "resend"] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

export const DELIVERY_STATES = ["pending", "succeeded", "exhausted", "failed"] as const
