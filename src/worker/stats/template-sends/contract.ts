import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { timestamp } from "../../platform/http/shapes.ts"
import { getStatsSeries } from "../contract.ts"

export const listTemplateSends = endpoint({
  access: "session",
  dashboardRole: "member",
  tag: "Dashboard",
  name: "templateSends",
  call: "GET /template-sends",
  summary: "Count what was sent with each template",
  description:
    "By the hours of a range, as the statistics. Templates without a sent email are left out.",
  query: getStatsSeries.query.pick({ since: true }),
  response: z.object({
    data: z.array(
      z
        .object({
          templateId: z.string(),
          sent: z.int(),
          lastHour: timestamp.describe("The hour in which the last one was sent."),
        })
        .meta({
          example: { templateId: exampleId("template"), sent: 1_204, lastHour: EXAMPLE_TIME },
        }),
    ),
  }),
})
