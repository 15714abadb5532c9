import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { boundedText } from "../platform/http/shapes.ts"
import { email } from "./contract.ts"

const MAX_IDS = 100

export const readEmails = endpoint({
  access: "session",
  dashboardRole: "member",
  tag: "Dashboard",
  name: "emails.several",
  call: "GET /email-rows",
  summary: "Read several emails by their ids",
  description: "For lists that follow the stream. Unknown ids are left out.",
  query: z.object({
    ids: boundedText(40 * MAX_IDS)
      .transform((text) => text.split(","))
      .pipe(z.array(z.string()).max(MAX_IDS))
      .describe(`Up to ${MAX_IDS} ids, separated by commas.`),
  }),
  response: z.object({ data: z.array(email) }).meta({ example: { data: [email.meta()?.example] } }),
})
