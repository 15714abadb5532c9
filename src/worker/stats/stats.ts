import { DAY_MS } from "../../lib/time.ts"
import type { Ctx } from "../platform/context.ts"
import { alertsOn } from "./alerts.ts"
import type { Stats } from "./contract.ts"
import { countedAt } from "./counters.ts"
import { countWindow, selectDays } from "./day-window.ts"
import type { statsDays } from "./table.ts"

const DAYS = 30

type Day = typeof statsDays.$inferSelect
type Counts = Stats["series"][number]

/** Reads a row a day: 30 rows, whatever the volume. */
export async function getStats(ctx: Ctx): Promise<Stats> {
  const now = ctx.now()
  const dates = Array.from({ length: DAYS }, (_, index) =>
    countedAt(now - (DAYS - 1 - index) * DAY_MS),
  ).map(({ day }) => day)
  const [rows] = await ctx.batch([selectDays(ctx, DAYS - 1)])
  const byDay = new Map(rows.map((row) => [row.day, row]))
  const series = dates.map((date) => toCounts(date, byDay.get(date)))
  const sumOf = (name: Exclude<keyof Counts, "date">, days = DAYS) =>
    series.slice(-days).reduce((sum, counts) => sum + counts[name], 0)
  const d30 = sumOf("sent")
  const rateOf = (name: Parameters<typeof sumOf>[0]) =>
    d30 === 0 ? 0 : Math.min(1, sumOf(name) / d30)
  const lastDay = countWindow(byDay, now)
  return {
    sent: { today: lastDay.sent, d7: sumOf("sent", 7), d30 },
    rates: {
      delivered: rateOf("delivered"),
      bounced: rateOf("bounced"),
      complained: rateOf("complained"),
      opened: rateOf("opened"),
      clicked: rateOf("clicked"),
    },
    series,
    alerts: alertsOn(lastDay).map((alert) => ({ ...alert, window: "24h" as const })),
  }
}

function toCounts(date: string, row: Day | undefined): Counts {
  const {
    sent = 0,
    delivered = 0,
    bounced = 0,
    complained = 0,
    opened = 0,
    clicked = 0,
  } = row ?? {}
  return { date, sent, delivered, bounced, complained, opened, clicked }
}
