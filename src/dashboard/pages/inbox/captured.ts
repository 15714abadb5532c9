import type { listInbox } from "../../../worker/sandbox/dashboard-contract.ts"
import type { ReplyOf } from "../../api/session.ts"

export type CapturedPage = ReplyOf<typeof listInbox>
export type Captured = CapturedPage["data"][number]

/** The page of a message keeps the search of the list. */
export const messagePage = (id: string, q: string) =>
  `/inbox/${id}${q && `?q=${encodeURIComponent(q)}`}`
