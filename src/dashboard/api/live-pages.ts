import { type InfiniteData, useQuery } from "@tanstack/react-query"
import { useEffect, useMemo } from "react"
import type { Page } from "../../client/pages.ts"
import type { CallOptions } from "../../client/request.ts"
import { type ChangeType, noteChanges, useChanges } from "./live.ts"
import { type ListPage, PAGE_SIZE, type PageQuery, usePages } from "./pages.ts"
import { queries } from "./queries.ts"

interface Row {
  id: string
}

interface Options<T> {
  /** The stream's type of changes that may add rows or change them. */
  type: ChangeType
  /** Reads rows by their ids. Without it, rows change, or go, as the list is read again. */
  readRows?: (ids: string[], options: CallOptions) => Promise<T[]>
  /** Which rows any change may touch. Without it, the changes have the ids of the rows. */
  mayChange?: (row: T) => boolean
  /** What a row is about, where a change gives it another id. Several new rows about the same count once. */
  keyOf?: (row: T) => string
  /** Also looks for changes that the stream does not tell. */
  everyMs?: number
  /** Which rows have such changes. Without it, any list may have them. */
  isMoving?: (row: T) => boolean
  /** When a row was stored, where such changes are in a list that looks only so far back. */
  timeOf?: (row: T) => string
}

/** How often numbers are read that the stream does not tell. */
export const LIVE_MS = 10_000

/** Rows of the list that the person has not asked for yet, newest first. */
interface News<T> {
  rows: T[]
  /** Some of them have changed since they were read. */
  changed: ReadonlySet<string>
  /** There are more: too many to read. */
  isCut: boolean
}

/** A longer catch-up starts the list anew. */
const MOST_PAGES = 50
const REREAD_PAGES = 5
const FEW_ROWS = 25
/** With more new rows than this the list is read anew, page by page. */
const MOST_PUT_ON_TOP = 300

/** This device's clock may be so far from the service's. */
const CLOCKS_APART_MS = 300_000

const NONE: News<never> = { rows: [], changed: new Set(), isCut: false }

/**
 * A list that follows the stream. Shown rows change in place. New rows wait behind an exact count,
 * so that nothing moves under the pointer.
 */
export function useLivePages<T extends Row>(
  queryKey: readonly [string, ...unknown[]],
  list: ListPage<T>,
  options: Options<T>,
) {
  const pages = usePages(queryKey, list, { refetchOnWindowFocus: false })
  const newsKey = ["news", ...queryKey]
  const { data: news = NONE as News<T> } = useQuery<News<T>>({
    queryKey: newsKey,
    queryFn: () => NONE as News<T>,
    enabled: false,
  })
  const keepNews = (next: News<T>) => queries.setQueryData(newsKey, next)
  const shown = useMemo(() => new Set(pages.rows.map(({ id }) => id)), [pages.rows])
  const waiting = news.rows.filter(({ id }) => !shown.has(id))
  const waitingKeys = new Set(waiting.map(options.keyOf ?? idOf))

  useChanges(options.type, async (ids, signal) => {
    const isReading = () => queries.isFetching({ queryKey, exact: true }) > 0
    if (isReading()) return "later"
    const data = queries.getQueryData<InfiniteData<Page<T>>>(queryKey)
    const { dataUpdatedAt: readAt = 0 } = queries.getQueryState(queryKey) ?? {}
    if (!data) return
    const readNews = () => queries.getQueryData<News<T>>(newsKey) ?? (NONE as News<T>)
    const known = readNews()
    const read = await catchUp(list, options, {
      data,
      news: known,
      ids,
      readAt,
      signal,
    })
    // The person may have read a page, shown the new rows or changed one meanwhile.
    const isSame = queries.getQueryData(queryKey) === data && readNews() === known
    if (isReading() || !isSame) return "later"
    queries.setQueryData(queryKey, withRows(data, read.rows, read.gone))
    keepNews(read.news)
  })

  const { type, everyMs, isMoving } = options
  const mayMove = isMoving === undefined || pages.rows.some(isMoving)
  useEffect(() => {
    if (everyMs === undefined || !mayMove) return
    const timer = setInterval(() => noteChanges(type, []), everyMs)
    return () => clearInterval(timer)
  }, [type, everyMs, mayMove])

  const showWaiting = () => {
    keepNews(NONE as News<T>)
    if (news.isCut || waiting.length > MOST_PUT_ON_TOP) return queries.resetQueries({ queryKey })
    queries.setQueryData<InfiniteData<Page<T>>>(
      queryKey,
      (data) => data && { ...data, pages: insertRows(data.pages, waiting) },
    )
    if (news.changed.size > 0) noteChanges(options.type, news.changed)
  }
  // New rows of an empty list are shown at once: nothing can move.
  const isFirst = pages.isSuccess && pages.rows.length === 0 && waiting.length > 0
  useEffect(() => {
    if (isFirst) showWaiting()
  })
  return {
    ...pages,
    waiting: isFirst ? 0 : waitingKeys.size,
    isWaitingCut: news.isCut,
    /** Puts the new rows into the list. */
    showWaiting,
  }
}

interface Catching<T> {
  data: InfiniteData<Page<T>>
  news: News<T>
  ids: ReadonlySet<string>
  /** When the list was read last. */
  readAt: number
  signal: AbortSignal
}

/** Reads the new rows, and the shown rows that changed. */
async function catchUp<T extends Row>(
  list: ListPage<T>,
  { readRows, mayChange, keyOf = idOf, timeOf }: Options<T>,
  { data, news, ids, readAt, signal }: Catching<T>,
) {
  const shown = data.pages.flatMap((page) => page.data)
  const knownRows = [...news.rows, ...shown]
  const known = new Set(knownRows.map(({ id }) => id))
  const end = data.pages.at(-1)?.nextCursor ? (shown.at(-1)?.id ?? "") : ""
  // A row may match the filter, or be stored, after one with a later id.
  const isMissing = (id: string) => id > end && !known.has(id)
  const [newest = ""] = known
  const [lowest = ""] = [newest, ...[...ids].filter(isMissing)].toSorted()
  const oldest = [...known].slice(0, REREAD_PAGES * PAGE_SIZE).at(-1) ?? ""
  const until = readRows && !mayChange && lowest > oldest ? lowest : oldest
  const lastKnown = timeOf && knownRows.find(({ id }) => id === until)
  const { rows, isCut, isWhole, searchedUntil } = await readUntil(list, until, {
    expected: ids.size,
    searchTo: lastKnown ? timeOf(lastKnown) : new Date(readAt - CLOCKS_APART_MS).toISOString(),
    signal,
  })
  const fresh = rows.filter(({ id }) => isMissing(id))
  const read = new Map(rows.map((row) => [row.id, row]))
  const isChanged = mayChange ?? (({ id }) => ids.has(id))
  const changed = shown.flatMap((row) => (isChanged(row) && !read.has(row.id) ? row.id : []))
  for (const row of readRows ? await readRows(changed, { signal }) : []) read.set(row.id, row)
  // Rows that the list has no more in the part that was read.
  const last = isWhole ? "" : rows.at(-1)?.id
  const kept = new Set(rows.map(keyOf))
  const isSearched = (row: T) =>
    searchedUntil !== undefined && timeOf !== undefined && timeOf(row) > searchedUntil
  const isRead = (row: T) => (last !== undefined && row.id > last) || isSearched(row)
  const isGone = (row: T) => !readRows && isRead(row) && !kept.has(keyOf(row))
  return {
    rows: read,
    gone: new Set(shown.filter(isGone)),
    news: {
      rows: [
        ...fresh,
        ...news.rows.flatMap((row) => (isGone(row) ? [] : (read.get(row.id) ?? row))),
      ].toSorted(newestFirst),
      changed: new Set([
        ...news.changed,
        ...news.rows.flatMap(({ id }) => (ids.has(id) && !read.has(id) ? id : [])),
      ]),
      isCut: news.isCut || isCut,
    },
  }
}

const idOf = ({ id }: Row) => id
const newestFirst = (one: Row, other: Row) => (one.id < other.id ? 1 : -1)

/** Puts each row into the page that it belongs to. */
function insertRows<T extends Row>(pages: Page<T>[], rows: readonly T[]): Page<T>[] {
  let left = rows
  return pages.map((page, index) => {
    const end = index < pages.length - 1 ? (page.data.at(-1)?.id ?? "") : ""
    const own = left.filter(({ id }) => id > end)
    left = left.filter(({ id }) => id <= end)
    return own.length === 0 ? page : { ...page, data: [...own, ...page.data].toSorted(newestFirst) }
  })
}

interface Reading {
  expected: number
  /** No row that is asked for is older. */
  searchTo: string
  signal: AbortSignal
}

/** The rows from the top of a list down to one that is known, or to the time of the last reading. */
async function readUntil<T extends Row>(
  list: ListPage<T>,
  known: string,
  { expected, searchTo, signal }: Reading,
) {
  const rows: T[] = []
  const query: PageQuery = { limit: expected < FEW_ROWS ? FEW_ROWS : PAGE_SIZE }
  for (let page = 0; page < MOST_PAGES; page++) {
    const { data, nextCursor, searchedUntil } = await list(query, { signal })
    rows.push(...data)
    const isSearched = searchedUntil !== undefined && searchedUntil < searchTo
    const isKnown = isSearched || data.some(({ id }) => id <= known)
    if (!nextCursor || isKnown) {
      return { rows, isCut: false, isWhole: !nextCursor, searchedUntil }
    }
    Object.assign(query, { cursor: nextCursor, limit: PAGE_SIZE })
  }
  return { rows, isCut: true, isWhole: false, searchedUntil: undefined }
}

const withRows = <T extends Row>(
  data: InfiniteData<Page<T>>,
  rows: ReadonlyMap<string, T>,
  gone: ReadonlySet<T>,
) => ({
  ...data,
  pages: data.pages.map((page) => ({
    ...page,
    data: page.data.flatMap((row) => (gone.has(row) ? [] : (rows.get(row.id) ?? row))),
  })),
})
