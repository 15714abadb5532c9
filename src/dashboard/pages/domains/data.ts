import { queryOptions } from "@tanstack/react-query"
import type { Domain } from "../../../client/types.ts"
import type { lookUpDomain } from "../../../worker/domains/dashboard-contract.ts"
import { api, call, path } from "../../api/api.ts"
import type { ReplyOf } from "../../api/session.ts"

const CHECKED_EVERY_MS = 15_000

/** While it waits to be verified or to receive, the check of every two minutes may change it at any time. */
export const domainQuery = (id: string) =>
  queryOptions<Domain>({
    queryKey: ["domain", id],
    queryFn: () => api.domains.get(id),
    refetchInterval: ({ state: { data } }) =>
      data?.status === "pending" || data?.receiving.status === "pending" ? CHECKED_EVERY_MS : false,
  })

export type Dns = ReplyOf<typeof lookUpDomain>

export const dnsQuery = (id: string) =>
  queryOptions<Dns>({
    queryKey: ["domain", id, "dns"],
    queryFn: () => call<typeof lookUpDomain>({ method: "GET", path: path`/domains/${id}/dns` }),
  })
