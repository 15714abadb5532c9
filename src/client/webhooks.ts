import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type {
  Backfill,
  BackfillInput,
  CreateWebhookInput,
  DeliveryWithAttempts,
  ListedDelivery,
  ListWebhookDeliveriesQuery,
  UpdateWebhookInput,
  Webhook,
} from "./types.ts"

export const createWebhooksApi = ({ call }: Calls) => {
  const list = (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<Webhook>>(get`/webhooks`, options, { query })
  const deliveries = (id: string, query: ListWebhookDeliveriesQuery = {}, options?: CallOptions) =>
    call<Page<ListedDelivery>>(get`/webhooks/${id}/deliveries`, options, { query })
  const removeOne = (id: string, options?: CallOptions) =>
    call<undefined>(remove`/webhooks/${id}`, options)

  return {
    /** Creates a webhook. Its signing `secret` is shown only once. */
    create: (body: CreateWebhookInput, options?: CallOptions) =>
      call<{ id: string; secret: string }>(post`/webhooks`, options, { body }),

    /** A page of webhooks, newest first. */
    list,

    /** Every webhook. Reads one page after another. */
    iterate: (query: PageQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** A webhook, without its secret. */
    get: (id: string, options?: CallOptions) => call<Webhook>(get`/webhooks/${id}`, options),

    /** Changes, disables or enables a webhook. Enabling clears its failures. */
    update: (id: string, body: UpdateWebhookInput, options?: CallOptions) =>
      call<Webhook>(patch`/webhooks/${id}`, options, { body }),

    /** Deletes a webhook and its deliveries. */
    remove: removeOne,

    /** @deprecated Use `remove`. */
    delete: removeOne,

    /** Queues a test event, even if the webhook subscribes to other types. */
    test: (id: string, options?: CallOptions) =>
      call<{ deliveryId: string }>(post`/webhooks/${id}/test`, options, { retry: true }),

    /** A page of a webhook's deliveries, newest first. */
    deliveries,

    /** Every delivery of a webhook that the query finds. Reads one page after another. */
    iterateDeliveries: (
      id: string,
      query: ListWebhookDeliveriesQuery = {},
      options?: CallOptions,
    ) => iterate((one: typeof query, more) => deliveries(id, one, more), query, options),

    /** A delivery with its payload and its attempts. */
    delivery: (id: string, options?: CallOptions) =>
      call<DeliveryWithAttempts>(get`/deliveries/${id}`, options),

    /** Makes a new delivery of the same event. The client never repeats this call. */
    replay: (id: string, options?: CallOptions) =>
      call<{ deliveryId: string }>(post`/deliveries/${id}/replay`, options),

    /** Queues the events that a webhook has missed. Safe to repeat. Pass `nextAfter` as `after` of the next call, until it is null. */
    backfill: (id: string, body: BackfillInput, options?: CallOptions) =>
      call<Backfill>(post`/webhooks/${id}/backfill`, options, { body, retry: true }),
  }
}
