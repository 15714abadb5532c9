import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { createdRange } from "../platform/http/page.ts"
import { timestamp } from "../platform/http/shapes.ts"
import { emailFilters } from "./filters-contract.ts"

export const MAX_COUNT = 1_000

/** How many emails a count looks through that one of the filters finds. */
export const COUNT_SCAN = 5_000

export const countEmails = endpoint({
  access: "session",
  dashboardRole: "member",
  tag: "Dashboard",
  name: "emails.count",
  call: "GET /emails/count",
  summary: "Count the emails that filters find",
  description: `Counts up to ${MAX_COUNT}, and looks through at most ${COUNT_SCAN} emails that one of the filters finds.`,
  query: z.object({ ...emailFilters, ...createdRange }),
  response: z
    .object({
      count: z.number().describe(`At most ${MAX_COUNT}.`),
      more: z.boolean().describe("There are more than `count`."),
      searchedUntil: timestamp
        .optional()
        .describe("The count has looked back to this time. Absent if it has looked at everything."),
    })
    .meta({ example: { count: 312, more: false } }),
})
