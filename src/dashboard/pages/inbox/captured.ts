import type { listInbox } from "../../../worker/sandbox/dashboard-contract.ts"
import type { ReplyOf } from "../../api/session.ts"

export type CapturedPage = ReplyOf<typeof listInbox>
export type Captured = CapturedPage["data"][number]

/** The page of a message, and of the list without one, keeps the search. */
export const messagePage = (id: string, q: string) => `/inbox/${id}${searched(q)}`
export const listPage = (q: string) => `/inbox${searched(q)}`

const searched = (q: string) => q && `?q=${encodeURIComponent(q)}`
