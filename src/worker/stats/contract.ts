import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { timestamp, timestampQuery } from "../platform/http/shapes.ts"
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

/** The longest series, and the shortest range of which days are the default step. */
export const MAX_SERIES_DAYS = { hour: 7, day: 400 } as const
export const DAYS_BY_DAY = 3
export const DEFAULT_DAYS = 30
/** A tag that is not counted with the hours is counted from at most this many emails. */
export const MAX_TAGGED_EMAILS = 1_000

export const counts = {
  sent: z.int(),
  delivered: z.int(),
  bounced: z.object({ hard: z.int(), soft: z.int() }),
  complained: z.int(),
  failed: z.int(),
  opened: z.int(),
  clicked: z.int(),
  delayed: z.int(),
}

export const countsExample = {
  sent: 40,
  delivered: 37,
  bounced: { hard: 2, soft: 1 },
  complained: 0,
  failed: 0,
  opened: 16,
  clicked: 4,
  delayed: 1,
}

export const series = z
  .object({
    data: z.array(z.object({ at: timestamp, ...counts })),
    totals: z.object(counts),
    incomplete: z
      .literal(true)
      .optional()
      .describe("With `tag`: some emails with the tag could not be counted."),
  })
  .meta({
    id: "StatsSeries",
    example: {
      data: [{ at: "2026-11-20T00:00:00.000Z", ...countsExample }],
      totals: countsExample,
    },
  })
export type StatsSeries = z.output<typeof series>

/**
 * One row of counts an hour, domain, template and campaign, which each recorded event adds to in its
 * batch: any of these filters reads sums of these rows. A row also has the counts of the tags of its
 * hour, at most 100. Where an hour has more, and for a tag with an address, the tag's emails are
 * counted themselves, at most 1,000.
 */
export const getStatsSeries = endpoint({
  name: "statsSeries",
  call: "GET /stats/series",
  access: "full",
  tag: "Statistics",
  summary: "Read counts by the hour or by the day",
  description: `Oldest first, a row for each step, zeros included. Rows are at \`since\` and each hour or 24 hours after it; both ends count with their whole hour. Each number counts emails: those whose timeline got its first entry of the kind in that step. \`Undetermined\` bounces are soft. Filters combine; an unknown id is a series of zeros. An hour counts up to 100 different tags for each domain, template and campaign. Where it has more, and for a tag with an address in it, the emails with the tag are counted themselves, as long as they are kept; with more than ${MAX_TAGGED_EMAILS.toLocaleString("en")} of them the answer is \`incomplete\`.`,
  refuses: { validation_error: "Also a range that is empty, or too long for its step." },
  query: z.object({
    since: timestampQuery
      .optional()
      .describe(
        `By default the UTC midnight ${DEFAULT_DAYS} days before \`until\`; with the step \`hour\` 24 hours before it.`,
      ),
    until: timestampQuery.optional().describe("By default now."),
    step: z
      .enum(["hour", "day"])
      .optional()
      .describe(
        `\`hour\` for at most ${MAX_SERIES_DAYS.hour} days, the default below ${DAYS_BY_DAY} days; \`day\` for at most ${MAX_SERIES_DAYS.day} days.`,
      ),
    domainId: z.string().optional(),
    tag: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}:/, "Must be key:value")
      .max(321)
      .optional()
      .describe("`key:value`."),
    templateId: z.string().optional(),
    campaignId: z.string().optional(),
  }),
  response: series,
})
