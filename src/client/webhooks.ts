import type { Page, PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import { path, type Transport } from "./transport.ts"
import type {
  Backfill,
  BackfillInput,
  CreateWebhookInput,
  UpdateWebhookInput,
  Webhook,
} from "./types.ts"

export const openWebhooks = ({ call }: Transport) => ({
  /** Creates a webhook. Its signing `secret` is shown only once. */
  create: (body: CreateWebhookInput, options?: CallOptions) =>
    call<{ id: string; secret: string }>({ method: "POST", path: "/webhooks", body }, options),

  /** A page of webhooks, newest first. */
  list: (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<Webhook>>({ method: "GET", path: "/webhooks", query }, options),

  /** A webhook, without its secret. */
  get: (id: string, options?: CallOptions) =>
    call<Webhook>({ method: "GET", path: path`/webhooks/${id}` }, options),

  /** Changes, disables or enables a webhook. Enabling clears its failures. */
  update: (id: string, body: UpdateWebhookInput, options?: CallOptions) =>
    call<Webhook>({ method: "PATCH", path: path`/webhooks/${id}`, body }, options),

  /** Deletes a webhook and its deliveries. */
  delete: (id: string, options?: CallOptions) =>
    call<undefined>({ method: "DELETE", path: path`/webhooks/${id}` }, options),

  /** Queues a test event, even if the webhook subscribes to other types. */
  test: (id: string, options?: CallOptions) =>
    call<{ deliveryId: string }>(
      { method: "POST", path: path`/webhooks/${id}/test`, retry: true },
      options,
    ),

  /** Queues the events that a webhook has missed. Safe to repeat. Pass `nextAfter` as `after` of the next call, until it is null. */
  backfill: (id: string, body: BackfillInput, options?: CallOptions) =>
    call<Backfill>(
      { method: "POST", path: path`/webhooks/${id}/backfill`, body, retry: true },
      options,
    ),
})
