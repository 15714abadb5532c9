import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { Page } from "../../client/pages.ts"
import type { CallOptions } from "../../client/request.ts"
import { type ChangeType, useChanges } from "./live.ts"
import { queries } from "./queries.ts"

export interface PageQuery {
  cursor?: string
  limit: number
}

/** Reads one page. The signal ends a call that nobody waits for any more. */
export type ListPage<T> = (
  query: PageQuery,
  options: CallOptions,
) => Promise<Page<T> & { searchedUntil?: string | undefined }>

export const PAGE_SIZE = 100
const FEW_PAGES = 5

/**
 * A list of the API, page by page. The first element of its key names the records, such as
 * "emails". The stream finds stale lists by this name.
 */
export function usePages<T>(
  queryKey: readonly [string, ...unknown[]],
  list: ListPage<T>,
  options: { refetchOnWindowFocus?: false } = {},
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      list(
        { limit: PAGE_SIZE, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    // Reading again means reading every page.
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= FEW_PAGES,
    ...options,
  })
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data])
  // After a failed page, the pages before it are not read again.
  const refetch: () => unknown = query.isFetchNextPageError ? query.fetchNextPage : query.refetch
  return { ...query, rows, refetch }
}

/** Reads queries again when the stream tells of changes of the type. */
export function useRefresh(type: ChangeType, queryKeys: readonly QueryKey[]) {
  useChanges(type, () =>
    Promise.all(queryKeys.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  )
}
