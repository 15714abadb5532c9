import { queryOptions } from "@tanstack/react-query"
import type { getInstallation } from "../../worker/teams/contract.ts"
import { call } from "./api.ts"

/** The installation's settings change with a deployment only. */
export const installationQuery = queryOptions({
  queryKey: ["installation"],
  queryFn: () => call<typeof getInstallation>({ method: "GET", path: "/installation" }),
  staleTime: Number.POSITIVE_INFINITY,
})
