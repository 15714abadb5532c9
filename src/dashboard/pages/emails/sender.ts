import { useQuery } from "@tanstack/react-query"
import { domainsQuery } from "../../api/queries.ts"

/** An address at the team's first verified domain; null if there is none, undefined while it is read. */
export function useSender(): string | null | undefined {
  const { data } = useQuery(domainsQuery)
  if (!data) return undefined
  const verified = data.data.find(({ status }) => status === "verified")
  return verified ? `hello@${verified.name}` : null
}
