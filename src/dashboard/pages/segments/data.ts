import { queryOptions } from "@tanstack/react-query"
import type { Segment } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { listCampaigns } from "../../api/queries.ts"
import { allOf } from "../campaigns/data.ts"

/** How often a segment is read again while it is counted. */
export const COUNTING_MS = 2_000
/** Reading a segment counts it again if its count is old. */
const COUNTED_MS = 60_000

export const segmentQuery = (id: string) =>
  queryOptions<Segment>({
    queryKey: ["segments", "one", id],
    queryFn: () => api.segments.get(id),
    refetchInterval: ({ state }) => (state.data?.contactCount === null ? COUNTING_MS : COUNTED_MS),
  })

/** The segments of a book. */
export const segmentsQuery = (bookId: string) =>
  queryOptions<Segment[]>({
    queryKey: ["segments", "choices", bookId],
    queryFn: () => allOf((query) => api.segments.list({ ...query, bookId })),
  })

/** The names of campaigns, for the conditions that name one. */
export const campaignNamesQuery = queryOptions({
  queryKey: ["campaigns", "names"],
  queryFn: async () => {
    const campaigns = await allOf((query) => listCampaigns(query))
    return new Map(campaigns.map(({ id, name }) => [id, name]))
  },
})
