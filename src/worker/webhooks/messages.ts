export interface WebhookRef {
  teamId: string
  webhookId: string
}

export interface DeliveryRef {
  teamId: string
  webhookId: string
  id: string
}

/** Hints of the queues `deliveries` and `probes`. */
export type WebhooksMessage =
  | { kind: "deliveries"; deliveries: DeliveryRef[] }
  | { kind: "probes"; webhooks: WebhookRef[] }
