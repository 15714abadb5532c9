import type { CallOptions } from "../../../../client/request.ts"
import type { EmailPage } from "../../../../client/types.ts"
import type { searchId as endpoint } from "../../../../worker/search/contract.ts"
import { api, call } from "../../../api/api.ts"
import type { PageQuery } from "../../../api/pages.ts"
import type { ReplyOf } from "../../../api/session.ts"
import { findProblem } from "../problems.ts"
import { toListQuery } from "./query.ts"

/** A page of found emails, and the object that an id belongs to. */
export interface Found extends EmailPage {
  object?: ReplyOf<typeof endpoint>["object"]
}

const ID = /^[a-z]+_[0-9A-Z]{26}$/i

/** An id may belong to something else than an email. */
export const isId = (q: string) => ID.test(q)

export async function searchEmails(
  q: string,
  page: PageQuery,
  options?: CallOptions,
): Promise<Found> {
  if (findProblem(q)) return { data: [], nextCursor: null }
  if (!isId(q)) return api.emails.list({ ...toListQuery(q), ...page }, options)
  const query = { ...page, q }
  return call<typeof endpoint>({ method: "GET", path: "/search", query }, options)
}
