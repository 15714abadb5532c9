import * as z from "zod"
import { emailFilters } from "../emails/list/filters-contract.ts"
import { createdRange } from "../platform/http/page.ts"

/** A time before now: `7d` or `24h`. */
const AGO = /^(\d{1,4})([hd])$/

/** Checks a value as `GET /emails` does, and keeps it as it was given. */
const asGiven = (filter: z.ZodType) =>
  z.union([z.string(), z.array(z.string())]).superRefine((value, context) => {
    for (const { message, path } of filter.safeParse(value).error?.issues ?? []) {
      context.addIssue({ code: "custom", message, path })
    }
  })

const timeOrAgo = (time: z.ZodType) =>
  asGiven(z.union([z.string().regex(AGO), time])).describe("A time, or `7d` or `24h` before now.")

const filters = Object.fromEntries(
  Object.entries(emailFilters).map(([name, filter]) => [name, asGiven(filter).optional()]),
) as { [Name in keyof typeof emailFilters]: z.ZodOptional<ReturnType<typeof asGiven>> }

/** The filters of `GET /emails`, as a query has them. */
export const viewQuery = z.object({
  ...filters,
  since: timeOrAgo(createdRange.since).optional(),
  until: timeOrAgo(createdRange.until).optional(),
})
export type ViewQuery = z.output<typeof viewQuery>
