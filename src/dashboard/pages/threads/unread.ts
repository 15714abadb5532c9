import { useEffect, useMemo } from "react"
import { usePages, useRefresh } from "../../api/pages.ts"
import { listUnread } from "./data.ts"

export const UNREAD = ["unread"] as const
const KEYS = [UNREAD]

/** The threads with unread messages, as far back as the oldest row that is loaded. */
export function useUnread(oldest: string | undefined): ReadonlySet<string> {
  const { rows, hasNextPage, isFetching, error, fetchNextPage } = usePages(UNREAD, listUnread)
  useRefresh("received", KEYS)
  const last = rows.at(-1)?.createdAt
  const isShort = hasNextPage && oldest !== undefined && (!last || last > oldest)
  useEffect(() => {
    if (isShort && !isFetching && !error) void fetchNextPage()
  }, [isShort, isFetching, error, fetchNextPage])
  return useMemo(() => new Set(rows.flatMap(({ threadId }) => threadId ?? [])), [rows])
}
