import type { Hono } from "hono"
import * as z from "zod"
import { invalid } from "../platform/http/errors.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import { getStats as contract, type Stats } from "../stats/contract.ts"
import { getStats } from "../stats/stats.ts"
import { unsupported } from "./errors.ts"
import { serve } from "./route.ts"

/** Our statistics count an email once for each outcome. */
const COUNTS = {
  sent: "sent",
  delivered: "delivered",
  bounced: "bounced",
  complained: "complained",
  unique_opened: "opened",
  unique_clicked: "clicked",
} as const satisfies Record<string, keyof Stats["series"][number]>
type Metric = keyof typeof COUNTS

const METRICS = Object.keys(COUNTS) as Metric[]
const DEFAULT_DAYS = 7

const text = z.string().optional()
const query = z.object({
  start_date: text,
  end_date: text,
  timezone: z.string().default("UTC"),
  granularity: z.string().default("daily"),
  metrics: z.string().default(METRICS.join(",")),
  dimensions: z.string().default(""),
  domain_id: text,
  email_id: text,
  broadcast_id: text,
})

/** Our statistics have the last 30 days, in UTC. */
export function metricRoutes(app: Hono<HttpEnv>): void {
  serve(app, "GET /emails/metrics", contract, { query }, async (ctx, { query }) => {
    const metrics = readOptions(query)
    const { series } = await getStats(ctx)
    const days = daysBetween(series, query.start_date, query.end_date)
    const byPeriod = query.dimensions === "period"
    return {
      object: "metrics",
      start_date: days[0]?.date,
      end_date: days.at(-1)?.date,
      metrics,
      dimensions: byPeriod ? ["period"] : [],
      granularity: "daily",
      totals: countsOf(metrics, days),
      ...(byPeriod && {
        data: days.map((day) => ({ period: day.date, ...countsOf(metrics, [day]) })),
      }),
    }
  })
}

function readOptions(asked: z.output<typeof query>): Metric[] {
  const metrics = asked.metrics.split(",")
  const unknown = metrics.find((name) => !Object.hasOwn(COUNTS, name))
  if (unknown !== undefined) {
    throw unsupported("metrics", `There are ${METRICS.join(", ")}, not ${unknown}.`)
  }
  if (asked.timezone !== "UTC") throw unsupported("timezone", "Days are those of UTC.")
  if (asked.granularity !== "daily") throw unsupported("granularity", "Periods are days.")
  if (!["", "period"].includes(asked.dimensions)) {
    throw unsupported("dimensions", "There is `period` only.")
  }
  for (const filter of ["domain_id", "email_id", "broadcast_id"] as const) {
    if (asked[filter] !== undefined) throw unsupported(filter, "Metrics are those of the team.")
  }
  return metrics as Metric[]
}

type Days = Stats["series"]

function daysBetween(series: Days, start: string | undefined, end: string | undefined): Days {
  const to = dayOf("end_date", end) ?? series.at(-1)!.date
  const last = series.findLastIndex(({ date }) => date <= to)
  const from = dayOf("start_date", start) ?? series[Math.max(0, last - DEFAULT_DAYS + 1)]!.date
  if (from < series[0]!.date) throw unsupported("start_date", "Metrics are kept for 30 days.")
  return series.filter(({ date }) => date >= from && date <= to)
}

function dayOf(name: string, time: string | undefined): string | undefined {
  if (time === undefined) return undefined
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) throw invalid([name], "Must be a date of ISO 8601")
  return at.toISOString().slice(0, "2026-01-01".length)
}

const countsOf = (metrics: readonly Metric[], days: Days) =>
  Object.fromEntries(
    metrics.map((name) => [name, days.reduce((sum, day) => sum + day[COUNTS[name]], 0)]),
  )
