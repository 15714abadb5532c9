import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageQuery, searchedPageOf } from "../../platform/http/page.ts"
import { timestamp } from "../../platform/http/shapes.ts"

export const REFUSED_CALL_DAYS = 7

const refusedCallExample = {
  id: exampleId("refusedCall"),
  at: EXAMPLE_TIME,
  key: { id: exampleId("apiKey"), name: "CI" },
  call: "POST /emails",
  code: "domain_not_verified",
  message:
    "No verified domain of the team matches 'from': example.com. Verified: mail.example.com.",
  count: 3,
}

const refusedCall = z
  .object({
    id: z.string(),
    at: timestamp.describe("The time of the last one."),
    key: z.object({
      id: z.string(),
      name: z.string().nullable().describe("Null after the key is revoked."),
    }),
    call: z.string().describe("The method and the path, without ids."),
    code: z.string(),
    message: z.string(),
    count: z.int().describe("How often the same call was refused within the minute."),
  })
  .meta({ id: "RefusedCall", example: refusedCallExample })
export type RefusedCall = z.output<typeof refusedCall>

export const listRefusedCalls = endpoint({
  name: "refusedCalls",
  call: "GET /refused-calls",
  access: "full",
  tag: "API keys",
  summary: "List the calls of the team's keys that were refused, newest first",
  description: `Kept for ${REFUSED_CALL_DAYS} days, up to 300 a minute. Calls without a valid key belong to no team and are not kept, nor are failures of the service. With a filter, a page looks through at most 1,000 entries, so a short page may have a \`nextCursor\`; \`searchedUntil\` says how far back it looked.`,
  query: pageQuery.extend({
    keyId: z.string().max(100).optional(),
    code: z.string().max(100).optional(),
  }),
  response: searchedPageOf(refusedCall),
})
