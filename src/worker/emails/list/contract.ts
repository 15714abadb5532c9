import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { exampleId } from "../../platform/http/example.ts"
import { createdRange } from "../../platform/http/page.ts"
import { ids, timestamp } from "../../platform/http/shapes.ts"
import { email } from "../contract.ts"
import { emailFilters } from "./filters-contract.ts"

export const readEmails = endpoint({
  access: "session",
  dashboardRole: "member",
  tag: "Dashboard",
  name: "emails.several",
  call: "GET /email-rows",
  summary: "Read several emails by their ids",
  description: "For lists that follow the stream. Unknown ids are left out.",
  query: z.object({ ids }),
  response: z.object({ data: z.array(email) }).meta({ example: { data: [email.meta()?.example] } }),
})

const emailMarks = z.object({
  id: z.string(),
  opened: z.boolean(),
  clicked: z.boolean(),
  reason: z.string().nullable().describe("Why it bounced or failed, in plain words."),
  bounceType: z.enum(["Permanent", "Transient", "Undetermined"]).nullable(),
  diagnostic: z.string().nullable().describe("The words of the server that refused it."),
})
export type EmailMarks = z.output<typeof emailMarks>

const noReason = { reason: null, bounceType: null, diagnostic: null }
const marksExample = { id: exampleId("email"), opened: true, clicked: false, ...noReason }

export const readMarks = endpoint({
  access: "session",
  dashboardRole: "member",
  tag: "Dashboard",
  name: "emails.marks",
  call: "GET /email-marks",
  summary: "Read what became of several emails",
  description: "For lists, beside the status. Unknown ids are left out.",
  query: z.object({ ids }),
  response: z.object({ data: z.array(emailMarks) }).meta({ example: { data: [marksExample] } }),
})

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
