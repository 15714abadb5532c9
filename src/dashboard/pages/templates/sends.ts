import { queryOptions } from "@tanstack/react-query"
import type { listTemplateSends } from "../../../worker/stats/template-sends/contract.ts"
import { call } from "../../api/api.ts"
import { stepsOf } from "../metrics/data.ts"

/** What was sent with each template in the last 30 days. */
export const sendsQuery = queryOptions({
  queryKey: ["templates", "sends"],
  queryFn: async () => {
    const { since } = stepsOf("30d")
    const { data } = await call<typeof listTemplateSends>({
      method: "GET",
      path: "/template-sends",
      query: { since },
    })
    return new Map(data.map((one) => [one.templateId, one]))
  },
})
