import { type InfiniteData, type QueryKey, useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef } from "react"
import type { Page } from "../../client/pages.ts"
import { useChanges } from "./live.ts"
import { queries } from "./queries.ts"

export interface PageQuery {
  cursor?: string
  limit: number
}

const PAGE_SIZE = 100
const FEW_PAGES = 5

interface Row {
  id: string
}

/**
 * A list of the API, page by page. The first element of its key names the records, such as
 * "emails". The stream finds stale lists by this name.
 */
export function usePages<T>(
  queryKey: readonly [string, ...unknown[]],
  list: (query: PageQuery) => Promise<Page<T>>,
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      list({ limit: PAGE_SIZE, ...(pageParam === undefined ? {} : { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    // Reading again means reading every page.
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= FEW_PAGES,
  })
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data])
  // After a failed page, the pages before it are not read again.
  const refetch: () => unknown = query.isFetchNextPageError ? query.fetchNextPage : query.refetch
  return { ...query, rows, refetch }
}

/**
 * A list that follows the stream. Shown rows change in place. New rows wait behind a count, so that
 * nothing moves under the pointer. `type` names the stream's changes, such as "email".
 */
export function useLivePages<T extends Row>(
  type: string,
  queryKey: readonly [string, ...unknown[]],
  list: (query: PageQuery) => Promise<Page<T>>,
) {
  const pages = usePages(queryKey, list)
  const fresh = useQuery({
    queryKey: [queryKey[0], "fresh", ...queryKey.slice(1)],
    queryFn: () => list({ limit: 25 }),
    enabled: pages.isSuccess,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const shown = useMemo(() => new Set(pages.rows.map(({ id }) => id)), [pages.rows])
  const top = pages.rows[0]?.id ?? ""
  const changed = new Map(fresh.data?.data.map((row) => [row.id, row]))
  const waiting = fresh.data?.data.filter(({ id }) => id > top && !shown.has(id)) ?? []

  const refresh = useThrottled(() =>
    queries.invalidateQueries({ queryKey: [queryKey[0], "fresh"] }),
  )
  useChanges(
    useCallback(
      (change) => {
        if (change.type === type) refresh()
      },
      [type, refresh],
    ),
  )
  const showWaiting = () => {
    queries.setQueryData<InfiniteData<Page<T>>>(queryKey, (data) => {
      const [first, ...rest] = data?.pages ?? []
      if (!data || !first) return data
      return { ...data, pages: [{ ...first, data: [...waiting, ...first.data] }, ...rest] }
    })
  }
  // New rows of an empty list are shown at once: nothing can move.
  const isFirst = pages.isSuccess && pages.rows.length === 0 && waiting.length > 0
  useEffect(() => {
    if (isFirst) showWaiting()
  })
  return {
    ...pages,
    rows: pages.rows.map((row) => changed.get(row.id) ?? row),
    waiting: isFirst ? 0 : waiting.length,
    /** Puts the new rows on top. */
    showWaiting,
  }
}

/** Makes queries stale when the stream tells of a change of the type, such as "webhook". */
export function useRefresh(type: string, queryKeys: readonly QueryKey[], betweenMs = 2_000) {
  const refresh = useThrottled(() => {
    for (const queryKey of queryKeys) queries.invalidateQueries({ queryKey })
  }, betweenMs)
  useChanges(
    useCallback(
      (change) => {
        if (change.type === type) refresh()
      },
      [type, refresh],
    ),
  )
}

const BETWEEN_MS = 500

/** At once, then once in this time, and once more after the last. */
function useThrottled(run: () => void, betweenMs = BETWEEN_MS) {
  const latest = useRef(run)
  latest.current = run
  return useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let again = false
    const call = () => {
      if (timer) {
        again = true
        return
      }
      latest.current()
      timer = setTimeout(() => {
        timer = undefined
        if (again) call()
        again = false
      }, betweenMs)
    }
    return call
  }, [betweenMs])
}
