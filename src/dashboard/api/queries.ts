import { QueryClient, queryOptions } from "@tanstack/react-query"
import type { EmailWithEvents } from "../../client/types.ts"
import type { getSession } from "../../worker/access/people/contract.ts"
import { api, call, EdgepostError } from "./api.ts"
import { chosenTeam, type Session, sessionEnded } from "./session.ts"

/** The client library repeats failed calls, and the stream says when data is stale. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: true },
  },
})

export const sessionQuery = queryOptions<Session>({
  queryKey: ["session"],
  queryFn: async () => {
    const session = await call<typeof getSession>({ method: "GET", path: "/session" })
    chosenTeam.keep(session.team.id)
    sessionEnded.set(false)
    return session
  },
  staleTime: 300_000,
})

export const emailQuery = (id: string) =>
  queryOptions<EmailWithEvents>({ queryKey: ["email", id], queryFn: () => api.emails.get(id) })

/** The team's newest hundred domains. */
export const domainsQuery = queryOptions({
  queryKey: ["domains"],
  queryFn: () => api.domains.list({ limit: 100 }),
})

export const isNotFound = (error: unknown) =>
  error instanceof EdgepostError && error.code === "not_found"
