import { useSuspenseQuery } from "@tanstack/react-query"
import { sessionQuery } from "../api/queries.ts"

export const useSession = () => useSuspenseQuery(sessionQuery).data

/** What a role may not do is not shown; the API refuses it all the same. */
export function useMay() {
  const { role } = useSession()
  return {
    /** Keys, webhooks, domains, members, settings. */
    manage: role !== "member",
    /** The danger zone and owners. */
    own: role === "owner",
  }
}
