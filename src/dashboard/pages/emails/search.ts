import type { Email } from "../../../client/types.ts"
import { call } from "../../api/api.ts"
import type { PageQuery } from "../../api/pages.ts"

/** A page of found emails, and how they were looked for. */
export interface Found {
  data: Email[]
  nextCursor: string | null
  kind: "recent" | "address" | "id" | "status" | "tag" | "subject"
  /** What the id that was looked for belongs to, if not an email. */
  object: { type: string; id: string } | null
  /** How far back the search by words has looked. */
  searchedBack: string | null
}

export const searchEmails = (q: string, query: PageQuery): Promise<Found> =>
  call({
    method: "GET",
    path: "/search",
    query: { ...query, ...(q && { q }) },
  }) as Promise<unknown> as Promise<Found>
