import type { AsRequest } from "../../../ui/request/request-codes.ts"
import { requestOf } from "../../../ui/request/request-of.ts"
import { toListQuery } from "../search/query.ts"
import { type Found, isId } from "../search/search.ts"

/** The call of the API that answers the emails of a search. None does for some ids. */
export function asRequest(q: string, object: Found["object"]): AsRequest | undefined {
  if (!isId(q)) return listOf(toListQuery(q))
  if (object?.type === "campaigns") return listOf({ campaignId: object.id })
  if (object?.type === "sequences") return listOf({ sequenceId: object.id })
  if (object?.type !== "emails") return undefined
  return requestOf("GET", `/emails/${object.id}`, "emails.get", object.id)
}

function listOf(query: object): AsRequest {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, String(value)]),
  )
  return {
    method: "GET",
    path: `/emails${pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ""}`,
    library: `const { data } = await edgepost.emails.list(${pairs.length > 0 ? JSON.stringify(query) : ""})`,
  }
}
