import { queryOptions } from "@tanstack/react-query"
import type { getTeam } from "../../worker/teams/contract.ts"
import { call } from "./api.ts"
import type { ReplyOf } from "./session.ts"

export type Team = ReplyOf<typeof getTeam>

export const teamQuery = queryOptions<Team>({
  queryKey: ["team"],
  queryFn: () => call<typeof getTeam>({ method: "GET", path: "/team" }),
})
