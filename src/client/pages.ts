import type { CallOptions } from "./request.ts"

/** A page of a list. */
export interface Page<T> {
  data: T[]
  /** The `cursor` of the next page; null on the last one. */
  nextCursor: string | null
}

export interface PageQuery {
  /** How many records a page has: 1 to 100, by default 25. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
}

/** The records of all pages, each page asked for when it is needed. */
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
