export interface WebhookRef {
  teamId: string
  webhookId: string
}

/** A hint of the queue `deliveries` that a webhook has something to do. It leads to everything that is due by then. */
export interface WebhooksMessage {
  kind: "deliveries"
  webhooks: WebhookRef[]
}
