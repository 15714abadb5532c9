import type { searchEmails as endpoint } from "../../../search/contract.ts"
import { call } from "../../api/api.ts"
import type { PageQuery } from "../../api/pages.ts"
import type { ReplyOf } from "../../api/session.ts"

/** A page of found emails, and how they were looked for. */
export type Found = ReplyOf<typeof endpoint>

export const searchEmails = (q: string, query: PageQuery): Promise<Found> =>
  call<typeof endpoint>({ method: "GET", path: "/search", query: { ...query, ...(q && { q }) } })
