import { and, eq, gte } from "drizzle-orm"
import { DAY_MS } from "../../lib/time.ts"
import type { Ctx, ScopeText } from "../platform/context.ts"
import { type Placeholders, prepared } from "../platform/db/prepared.ts"
import { countedAt, QUARTER_COUNTED } from "./counters.ts"
import { statsDays } from "./table.ts"

type Day = Pick<typeof statsDays.$inferSelect, "day" | "quarters">
export type QuarterCounts = Record<(typeof QUARTER_COUNTED)[number], number>

/** The rows of today and of this many days before. */
export const selectDays = (ctx: Ctx, days: number) =>
  selectFrom(ctx, { day: countedAt(ctx.now() - days * DAY_MS).day })

const selectFrom = prepared((db, { day }: Placeholders<"day">, { team }: ScopeText) =>
  db
    .select()
    .from(statsDays)
    .where(and(eq(statsDays.teamId, team), gte(statsDays.day, day))),
)

/** The counts of 24 hours up to a time: its day's quarters, and the later ones of the day before. */
export function countWindow(byDay: ReadonlyMap<string, Day>, end: number): QuarterCounts {
  const last = countedAt(end)
  const before = countedAt(end - DAY_MS)
  const quartersOf = (day: string) => Object.entries(byDay.get(day)?.quarters ?? {})
  const lists = [
    ...quartersOf(last.day).filter(([quarter]) => Number(quarter) <= Number(last.quarter)),
    ...quartersOf(before.day).filter(([quarter]) => Number(quarter) > Number(last.quarter)),
  ].map(([, counts]) => counts)
  return Object.fromEntries(
    QUARTER_COUNTED.map((name, index) => [
      name,
      lists.reduce((sum, counts) => sum + (counts[index] ?? 0), 0),
    ]),
  ) as QuarterCounts
}
