import { QueryClient, queryOptions } from "@tanstack/react-query"
import type { CallOptions } from "../../client/request.ts"
import type { Email, EmailWithEvents } from "../../client/types.ts"
import { chunk } from "../../lib/chunk.ts"
import type { getSession } from "../../worker/access/people/contract.ts"
import type { listCampaignRows } from "../../worker/campaigns/dashboard-contract.ts"
import type { readEmails } from "../../worker/emails/list/contract.ts"
import type { listSequenceRows } from "../../worker/sequences/dashboard-contract.ts"
import type { getTeam } from "../../worker/teams/contract.ts"
import { api, call, callAuth, EdgepostError } from "./api.ts"
import type { PageQuery } from "./pages.ts"
import { chosenTeam, type ReplyOf, type Session, sessionEnded, signedIn } from "./session.ts"

/** The client library repeats failed calls, and the stream says when data is stale. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 30_000,
      refetchOnWindowFocus: true,
      // By default, calls wait for a network, also those to `npm run dev` on the same device.
      networkMode: "always",
      refetchOnReconnect: true,
    },
  },
})

/** Reads the queries again whose key begins with one of these names, once they are shown. */
export const refresh = (...names: string[]) =>
  Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })))

export const sessionQuery = queryOptions<Session>({
  queryKey: ["session"],
  queryFn: async () => {
    const session = await call<typeof getSession>({ method: "GET", path: "/session" })
    signedIn.keep()
    chosenTeam.keep(session.team.id)
    sessionEnded.set(false)
    return session
  },
  staleTime: 300_000,
})

/** Only in a browser that has no session yet, this costs a call. */
export const isSignedIn = async () =>
  signedIn.get() || (await callAuth({ method: "GET", path: "/get-session" })) !== null

export const emailQuery = (id: string) =>
  queryOptions<EmailWithEvents>({ queryKey: ["email", id], queryFn: () => api.emails.get(id) })

const ROWS_A_CALL = 100

/** Reads rows by any number of ids. `read` gets those of a call, separated by commas. */
export async function readByIds<T>(
  all: string[],
  read: (ids: string) => Promise<{ data: T[] }>,
): Promise<T[]> {
  const rows: T[] = []
  for (const part of chunk(all, ROWS_A_CALL)) rows.push(...(await read(part.join(","))).data)
  return rows
}

/** For lists that follow the stream: the emails with these ids. */
export const readEmailRows = (all: string[], options: CallOptions): Promise<Email[]> =>
  readByIds(all, (ids) =>
    call<typeof readEmails>({ method: "GET", path: "/email-rows", query: { ids } }, options),
  )

export type Team = ReplyOf<typeof getTeam>

export const teamQuery = queryOptions<Team>({
  queryKey: ["team"],
  queryFn: () => call<typeof getTeam>({ method: "GET", path: "/team" }),
})

export type CampaignRow = ReplyOf<typeof listCampaignRows>["data"][number]
export type SequenceRow = ReplyOf<typeof listSequenceRows>["data"][number]

/** Campaigns without their contents. */
export const listCampaigns = (
  query: PageQuery & { status?: CampaignRow["status"] },
  options?: CallOptions,
) => call<typeof listCampaignRows>({ method: "GET", path: "/campaign-rows", query }, options)

/** Sequences without their steps. */
export const listSequences = (
  query: PageQuery & { status?: SequenceRow["status"] },
  options?: CallOptions,
) => call<typeof listSequenceRows>({ method: "GET", path: "/sequence-rows", query }, options)

/** The team's newest hundred domains. */
export const domainsQuery = queryOptions({
  queryKey: ["domains"],
  queryFn: () => api.domains.list({ limit: 100 }),
})

export const isNotFound = (error: unknown) =>
  error instanceof EdgepostError && error.code === "not_found"
