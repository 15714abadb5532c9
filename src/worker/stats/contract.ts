import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { ALERT_KINDS, ALERT_LEVELS } from "./alerts.ts"

const outcomes = (value: z.ZodNumber) => ({
  delivered: value,
  bounced: value,
  complained: value,
  opened: value,
  clicked: value,
})

export const stats = z
  .object({
    sent: z
      .object({ today: z.int(), d7: z.int(), d30: z.int() })
      .describe(
        "What the provider accepted in the last 24 hours, to the quarter of an hour, and in the last 7 and 30 UTC days.",
      ),
    rates: z
      .object(outcomes(z.number().min(0).max(1)))
      .describe("Shares of what was sent in 30 days."),
    series: z
      .array(z.object({ date: z.iso.date(), sent: z.int(), ...outcomes(z.int()) }))
      .describe("30 UTC days, oldest first."),
    alerts: z
      .array(
        z.object({
          kind: z.enum(ALERT_KINDS),
          level: z.enum(ALERT_LEVELS),
          rate: z.number(),
          window: z.literal("24h"),
        }),
      )
      .describe("Over the last 24 hours, from 20 sends on."),
  })
  .meta({
    id: "Stats",
    example: {
      sent: { today: 40, d7: 260, d30: 1000 },
      rates: { delivered: 0.97, bounced: 0.02, complained: 0, opened: 0.4, clicked: 0.1 },
      series: [
        {
          date: "2026-11-20",
          sent: 40,
          delivered: 37,
          bounced: 2,
          complained: 0,
          opened: 16,
          clicked: 4,
        },
      ],
      alerts: [{ kind: "bounce", level: "critical", rate: 0.05, window: "24h" }],
    },
  })
export type Stats = z.output<typeof stats>

export const getStats = endpoint({
  name: "stats",
  call: "GET /stats",
  access: "full",
  tag: "Statistics",
  summary: "Read send counts and 30-day rates",
  description: "Each email counts once per outcome, on the day of the outcome.",
  response: stats,
})
