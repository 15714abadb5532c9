import { useSuspenseQuery } from "@tanstack/react-query"
import { sessionQuery } from "../api/queries.ts"

export const useSession = () => useSuspenseQuery(sessionQuery).data

/** Hides actions that the role may not take. The API refuses them, too. */
export function useMay() {
  const { role } = useSession()
  return {
    /** Keys, webhooks, domains, members, settings. */
    manage: role !== "member",
    /** The danger zone and owners. */
    own: role === "owner",
  }
}
