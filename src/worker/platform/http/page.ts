import * as z from "zod"
import { type IdKind, isId } from "../../../lib/id.ts"
import { invalid } from "./errors.ts"
import { timestamp, timestampQuery } from "./shapes.ts"

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

const MAX_WAIT_SECONDS = 30

/** How long a list waits for its first item. */
export const waitSeconds = (description: string) =>
  z
    .string()
    .regex(/^[0-9]{1,2}$/, "Must be a whole number of seconds")
    .transform(Number)
    .pipe(z.number().max(MAX_WAIT_SECONDS))
    .optional()
    .default(0)
    .meta({ type: "integer", minimum: 0, maximum: MAX_WAIT_SECONDS, description })

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

/** A page of a search, which has not always looked at everything. */
export function searchedPageOf<T extends z.ZodType>(item: T) {
  const { id, example } = item.meta() ?? {}
  const searchedUntil = timestamp
    .optional()
    .describe("The page has looked back to this time. Absent if it has looked at everything.")
  return pageOf(item)
    .extend({ searchedUntil })
    .meta({ ...(id && { id: `${id}Page` }), example: { data: [example], nextCursor: null } })
}

export interface Page<T> {
  data: T[]
  nextCursor: string | null
}

/** The place where the next page starts, as text that callers do not read. */
export const writeCursor = (place: string) => Buffer.from(place).toString("base64url")

/** `parse` reads the place of a cursor. Undefined for the first page. */
export function parseCursor<T>(
  cursor: string | undefined,
  parse: (place: string) => T | false | undefined,
  name = "cursor",
): T | undefined {
  if (cursor === undefined) return undefined
  const text = Buffer.from(cursor, "base64url").toString()
  const place = writeCursor(text) === cursor && parse(text)
  if (!place) throw invalid([name], "Malformed cursor")
  return place
}

/** The id that the page starts below. */
export const readCursor = (kind: IdKind, cursor: string | undefined) =>
  parseCursor(cursor, (id) => isId(kind, id) && id)

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
