import * as z from "zod"
import { invalid } from "../platform/http/errors.ts"
import { readInput } from "../platform/http/input/read-input.ts"
import { type PageQuery, pageQuery, writeCursor } from "../platform/http/page.ts"

/** The records of a page in Resend's API, unless the caller asks for another number. */
const DEFAULT_LIMIT = "20"

/** `after`: the last id of the previous page. `before`: the first id of the next page. */
export const listQuery = z.object({
  limit: z.string().default(DEFAULT_LIMIT),
  after: z.string().optional(),
  before: z.string().optional(),
})

export function toPageQuery({ limit, after, before }: z.output<typeof listQuery>): PageQuery {
  if (after !== undefined && before !== undefined) {
    throw invalid(["before"], "Cannot be used with `after`")
  }
  return {
    ...readInput(pageQuery, { limit, ...(after !== undefined && { cursor: writeCursor(after) }) }),
    ...(before !== undefined && { before }),
  }
}

export const toList = <T, R>(
  { data, nextCursor }: { data: T[]; nextCursor: string | null },
  toRecord: (one: T) => R,
) => ({ object: "list", has_more: nextCursor !== null, data: data.map(toRecord) })
