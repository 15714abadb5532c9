import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { exampleId } from "../platform/http/example.ts"
import { createSegment } from "./contract.ts"

export const countFilter = endpoint({
  access: "session",
  tag: "Segments",
  name: "segments.countFilter",
  call: "POST /segments/count",
  summary: "Count the contacts that a filter finds",
  description:
    "For a filter that is not saved yet. It looks at some thousands of contacts at most.",
  example: () => ({
    bookId: exampleId("contactBook"),
    filter: { all: [{ activity: "opened", withinDays: 30 }] },
  }),
  json: createSegment.json.omit({ name: true }),
  retryable: true,
  response: z
    .object({
      contactCount: z.int(),
      eligibleCount: z.int().describe("Those of them that a campaign would mail."),
      more: z.boolean().describe("The book has contacts that were not looked at."),
    })
    .meta({ example: { contactCount: 42, eligibleCount: 40, more: false } }),
})
