import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { exampleId } from "../../platform/http/example.ts"
import { ALERT_LEVELS } from "../alerts.ts"

const counts = z.object({
  sent: z.number().describe("What the provider accepted."),
  delivered: z.number(),
  bounced: z.number(),
  complained: z.number(),
})
export type Counts = z.output<typeof counts>

const OVERVIEW_ALERTS = ["bounce", "complaint", "webhook", "domain", "provider"] as const

export const getOverview = endpoint({
  name: "overview",
  call: "GET /overview",
  access: "session",
  dashboardRole: "member",
  tag: "Dashboard",
  summary: "Read the last 24 hours against the usual, alerts and what is left to set up",
  description: "Counts go by quarters of an hour in UTC.",
  response: z
    .object({
      today: counts.describe("The last 24 hours."),
      usual: counts
        .nullable()
        .describe("The mean of the seven days before; null in a team that sent nothing then."),
      alerts: z
        .array(
          z.object({
            kind: z.enum(OVERVIEW_ALERTS),
            level: z.enum(ALERT_LEVELS),
            rate: z.number().nullable().describe("Of bounces or complaints in the last 24 hours."),
            id: z
              .string()
              .nullable()
              .describe("The webhook that the service disabled, or the failed domain."),
            label: z
              .string()
              .nullable()
              .describe(
                "The webhook's name or URL, the domain's name, or the provider that takes no mail.",
              ),
          }),
        )
        .describe("The worst first. At most ten webhooks and ten domains."),
      checklist: z.object({
        domainVerified: z.boolean(),
        keyCreated: z.boolean(),
        firstEmailSent: z.boolean(),
        webhookCreated: z.boolean(),
        postalAddressSet: z.boolean(),
        secondMember: z.boolean(),
      }),
    })
    .meta({
      example: {
        today: { sent: 40, delivered: 38, bounced: 2, complained: 0 },
        usual: { sent: 36.4, delivered: 35.1, bounced: 0.7, complained: 0 },
        alerts: [
          {
            kind: "domain",
            level: "critical",
            rate: null,
            id: exampleId("domain"),
            label: "mail.example.com",
          },
        ],
        checklist: {
          domainVerified: true,
          keyCreated: true,
          firstEmailSent: true,
          webhookCreated: false,
          postalAddressSet: false,
          secondMember: false,
        },
      },
    }),
})
export type Overview = z.output<typeof getOverview.response>
