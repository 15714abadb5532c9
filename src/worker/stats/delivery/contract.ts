import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { counts, countsExample, getStatsSeries } from "../contract.ts"

const ms = z.int().describe("To within 10 percent.")

export const getStatsDelivery = endpoint({
  name: "statsDelivery",
  call: "GET /stats/delivery",
  access: "session",
  dashboardRole: "member",
  tag: "Dashboard",
  summary: "Read how long deliveries took, and counts by the recipients' mailbox provider",
  description:
    "The range and the filters are those of `GET /stats/series`. An email counts for the mailbox of its first recipient, by the domain of the address. The time is from the call, or the scheduled time, to the delivery.",
  refuses: { validation_error: "Also a range that is empty, or too long." },
  query: getStatsSeries.query.omit({ tag: true, step: true }),
  response: z
    .object({
      time: z
        .object({ medianMs: ms, p95Ms: ms })
        .nullable()
        .describe("Null: nothing was delivered in the range."),
      mailboxes: z
        .array(z.object({ name: z.string(), ...counts }))
        .describe("Most sent emails first."),
    })
    .meta({
      example: {
        time: { medianMs: 1_448, p95Ms: 4_871 },
        mailboxes: [{ name: "Gmail", ...countsExample }],
      },
    }),
})
