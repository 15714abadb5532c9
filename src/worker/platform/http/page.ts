import * as z from "zod"
import { type IdKind, isId } from "../../../lib/id.ts"
import { invalid } from "./errors.ts"
import { timestampQuery } from "./shapes.ts"

export const MAX_LIMIT = 100

/** How many items a list answers at most. */
export const pageLimit = z
  .string()
  .regex(/^[0-9]{1,4}$/, "Must be a whole number")
  .transform(Number)
  .pipe(z.number().min(1).max(MAX_LIMIT))
  .optional()
  .default(25)
  .meta({ type: "integer", minimum: 1, maximum: MAX_LIMIT })

export const pageQuery = z.object({
  limit: pageLimit,
  cursor: z.string().optional().describe("The `nextCursor` of the page before."),
})

export type PageQuery = z.output<typeof pageQuery> & {
  /** Lists the records right above this id instead. Only the API of Resend uses this. */
  before?: string
}

/** A range of the times when records were created. */
export const createdRange = {
  since: timestampQuery.optional().describe("Created at this time or later."),
  until: timestampQuery.optional().describe("Created before this time."),
}

export interface CreatedRange {
  since?: number | undefined
  until?: number | undefined
}

export function pageOf<T extends z.ZodType>(item: T) {
  const page = z.object({
    data: z.array(item),
    nextCursor: z.string().nullable().describe("The `cursor` of the next page; null on the last."),
  })
  const name = item.meta()?.id
  return name ? page.meta({ id: `${name}Page` }) : page
}

export interface Page<T> {
  data: T[]
  nextCursor: string | null
}

/** The id that the page starts below, or undefined for the first page. */
export function readCursor(kind: IdKind, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const id = Buffer.from(cursor, "base64url").toString("latin1")
  if (!isId(kind, id) || writeCursor(id) !== cursor) throw invalid(["cursor"], "Malformed cursor")
  return id
}

export const writeCursor = (id: string) => Buffer.from(id, "latin1").toString("base64url")

/** The page of up to `limit + 1` rows, newest first. */
export function toPage<T extends { id: string }>(
  rows: readonly T[],
  limit: number,
  before?: string,
): Page<T> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const nextCursor = rows.length > limit && last ? writeCursor(last.id) : null
  return { data: before === undefined ? data : data.toReversed(), nextCursor }
}
