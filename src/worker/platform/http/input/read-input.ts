import * as z from "zod"
import { plainIssue } from "../../../../lib/plain-issue.ts"
import { rememberFor } from "../../../../lib/remember.ts"
import { ApiError, atIndex, invalidIssues, toIssues } from "../errors.ts"
import { precheck } from "./precheck.ts"

/** Reads a caller's value by its schema. A refusal names all issues. */
export function readInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { tooLarge, badNames } = precheck(schema, value)
  if (tooLarge.length > 0) throw invalidIssues(tooLarge)
  const read = schema.safeParse(value, { error: plainIssue })
  if (read.success && badNames.length === 0) return read.data
  throw invalidIssues(badNames.concat(toIssues(read.error?.issues ?? [])))
}

/** Reads a list item by item. The first bad item refuses the list. */
export function readItems<S extends z.ZodType>(
  list: z.ZodArray<S>,
  value: unknown,
  read = (item: unknown): z.output<S> => readInput(list.element, item),
): z.output<S>[] {
  return readOutline(list, value).map((item, index) => {
    try {
      return read(item)
    } catch (error) {
      throw error instanceof ApiError ? atIndex(index, error) : error
    }
  })
}

/** A list of the right length, whose items are not read yet. */
export const readOutline = (list: z.ZodArray, value: unknown): unknown[] =>
  readInput(outlineOf(list), value)

/** The bounds of a list, without its items. */
const outlineOf = rememberFor((list: z.ZodArray) => {
  const bounds = (list.def.checks ?? []) as z.core.$ZodCheck<unknown[]>[]
  return z.array(z.unknown()).check(...bounds)
})
