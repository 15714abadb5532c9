import * as z from "zod"
import { ApiError, atIndex, invalidIssues, toIssues } from "./errors.ts"
import { screen } from "./screen.ts"

/** A caller's value as its schema reads it; a refusal names all that is wrong. */
export function readInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { tooLarge, badNames } = screen(schema, value)
  if (tooLarge.length > 0) throw invalidIssues(tooLarge)
  const read = schema.safeParse(value)
  if (read.success && badNames.length === 0) return read.data
  throw invalidIssues(badNames.concat(toIssues(read.error?.issues ?? [])))
}

/** A list item by item: the first bad one refuses the list, and the rest are not looked at. */
export function readItems<S extends z.ZodType>(list: z.ZodArray<S>, value: unknown): z.output<S>[] {
  const bounds = (list.def.checks ?? []) as z.core.$ZodCheck<unknown[]>[]
  const outline = z.array(z.unknown()).check(...bounds)
  return readInput(outline, value).map((item, index) => {
    try {
      return readInput(list.element, item)
    } catch (error) {
      throw error instanceof ApiError ? atIndex(index, error) : error
    }
  })
}
