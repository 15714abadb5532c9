import type { CallOptions } from "./request.ts"

/** A page of a list. */
export interface Page<T> {
  data: T[]
  /** The `cursor` of the next page. Null on the last page. */
  nextCursor: string | null
}

export interface PageQuery {
  /** How many records a page has at most: 1 to 100. Default: 25. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
}

const MAX_WAIT_SECONDS = 30
const TRANSFER_MS = 10_000

/** A page that the server answers once it has a record, or when the time is over. */
export function wait<P, Q extends { wait?: number }>(
  list: (query: Q, options?: CallOptions) => Promise<P>,
  query: Q,
  options?: CallOptions,
): Promise<P> {
  const seconds = query.wait ?? MAX_WAIT_SECONDS
  const timeoutMs = seconds * 1000 + TRANSFER_MS
  return list({ ...query, wait: seconds }, { timeoutMs, ...options })
}

/** The records of all pages. Each page is read when it is needed. */
export async function* iterate<T, Q extends PageQuery>(
  list: (query: Q, options?: CallOptions) => Promise<Page<T>>,
  query: Q,
  options?: CallOptions,
): AsyncGenerator<T, void, undefined> {
  let cursor = query.cursor
  do {
    const page = await list({ ...query, ...(cursor !== undefined && { cursor }) }, options)
    yield* page.data
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
