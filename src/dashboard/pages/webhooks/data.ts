import { queryOptions } from "@tanstack/react-query"
import type { Webhook } from "../../../client/types.ts"
import type {
  getDelivery,
  getDeliveryRequest,
  readHealth,
  replayDelivery,
} from "../../../webhooks/dashboard-contract.ts"
import { api, call, path } from "../../api/api.ts"
import type { ReplyOf } from "../../api/session.ts"

export const WEBHOOKS = ["webhooks", "list"]
export const HEALTH = ["webhooks", "health"]

export const webhooksQuery = queryOptions({
  queryKey: WEBHOOKS,
  queryFn: () => api.webhooks.list({ limit: 100 }),
})

export const webhookQuery = (id: string) =>
  queryOptions<Webhook>({ queryKey: ["webhook", id], queryFn: () => api.webhooks.get(id) })

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
