export interface WebhookRef {
  teamId: string
  webhookId: string
}

/** A hint that a webhook has something to do. It leads to everything that is due by then. */
export interface WebhookHint extends WebhookRef {
  /** About how many hints of the webhook are on their way. */
  width?: number
}

/** Messages of the queues `deliveries` and `probes`. */
export type WebhooksMessage =
  | { kind: "deliveries"; webhooks: WebhookHint[] }
  /** Of a Worker before this one. */
  | { kind: "deliveries"; deliveries: WebhookRef[] }
  | { kind: "probes"; webhooks: WebhookRef[] }
