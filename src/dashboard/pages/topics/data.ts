import { queryOptions } from "@tanstack/react-query"
import type { Topic } from "../../../client/types.ts"
import { api } from "../../api/api.ts"

/** All topics of the team: one page holds them. */
export const topicsQuery = queryOptions<Topic[]>({
  queryKey: ["topics", "choices"],
  queryFn: async () => (await api.topics.list({ limit: 100 })).data,
})

export const DEFAULTS: Record<Topic["default"], string> = {
  subscribed: "Everyone who has not opted out",
  unsubscribed: "Only people who opted in",
}
