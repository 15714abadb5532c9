import { queryOptions } from "@tanstack/react-query"
import type { UpdateWebhookInput, Webhook } from "../../../client/types.ts"
import type { findPosition } from "../../../worker/webhooks/contract.ts"
import type { getDeliveryRequest, readHealth } from "../../../worker/webhooks/dashboard-contract.ts"
import type { getDelivery, replayDelivery } from "../../../worker/webhooks/deliveries/contract.ts"
import { api, call, path } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"

export interface DialogProps {
  webhook: Webhook
  onClose(): void
}

export const WEBHOOKS = ["webhooks", "list"]
export const HEALTH = ["webhooks", "health"]

/** Its name, else host and path. */
export const titleOf = ({ name, url }: Pick<Webhook, "name" | "url">) => name ?? shortUrl(url)

export const shortUrl = (url: string) => url.replace(/^https:\/\//, "")

export const webhooksQuery = queryOptions({
  queryKey: WEBHOOKS,
  queryFn: () => api.webhooks.list({ limit: 100 }),
})

export const webhookQuery = (id: string) =>
  queryOptions<Webhook>({ queryKey: ["webhook", id], queryFn: () => api.webhooks.get(id) })

export async function changeWebhook(id: string, changes: UpdateWebhookInput) {
  const changed = await api.webhooks.update(id, changes)
  queries.setQueryData(webhookQuery(id).queryKey, changed)
  queries.invalidateQueries({ queryKey: WEBHOOKS })
  return changed
}

/** The number of the last event, or of the last one before a time. */
export async function positionAt(time?: number): Promise<number> {
  const query = time === undefined ? {} : { at: new Date(time).toISOString() }
  const found = await call<typeof findPosition>({ method: "GET", path: "/event-position", query })
  return found.after
}

/** Each call queues a bounded number, so it is repeated until nothing is left. */
export async function catchUp(id: string, from: number, onQueued?: (count: number) => void) {
  let count = 0
  let after: number | null = from
  while (after !== null) {
    const reply: { queued: number; nextAfter: number | null } = await api.webhooks.backfill(id, {
      after,
    })
    count += reply.queued
    after = reply.nextAfter
    onQueued?.(count)
  }
  return count
}

export const healthQuery = queryOptions({
  queryKey: HEALTH,
  queryFn: () => call<typeof readHealth>({ method: "GET", path: "/webhook-health" }),
})

export type Health = ReplyOf<typeof readHealth>["data"][number]
export type DeliveryDetail = ReplyOf<typeof getDelivery>

export const deliveryQuery = (id: string) =>
  queryOptions<DeliveryDetail>({
    queryKey: ["delivery", id],
    queryFn: () => call<typeof getDelivery>({ method: "GET", path: path`/deliveries/${id}` }),
  })

export const deliveryRequestQuery = (id: string) =>
  queryOptions({
    queryKey: ["delivery", id, "request"],
    queryFn: () =>
      call<typeof getDeliveryRequest>({ method: "GET", path: path`/deliveries/${id}/request` }),
  })

export const replay = (id: string) =>
  call<typeof replayDelivery>({ method: "POST", path: path`/deliveries/${id}/replay` })
