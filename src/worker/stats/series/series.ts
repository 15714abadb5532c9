import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm"
import { DAY_MS, HOUR_MS } from "../../../lib/time.ts"
import type { Ctx } from "../../platform/context.ts"
import { resultColumns } from "../../platform/db/columns.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { invalid } from "../../platform/http/errors.ts"
import {
  type getStatsSeries as contract,
  DAYS_BY_DAY,
  DEFAULT_DAYS,
  MAX_SERIES_DAYS,
  type StatsSeries,
} from "../contract.ts"
import { h } from "../table.ts"
import { HOUR_COUNTS, MAX_TAGS } from "./count-hours.ts"
import { type Counts, matchesFilters, type Range, type StepRow, stepOf } from "./steps.ts"
import { countTagged } from "./tagged-emails.ts"

type Query = InputOf<typeof contract>["query"]
const STEP_MS = { hour: HOUR_MS, day: DAY_MS }

/** Sums the rows of the hours of the range: as many as it has hours, times the combinations in use. */
export async function getStatsSeries(ctx: Ctx, query: Query): Promise<StatsSeries> {
  const range = toRange(query, ctx.now())
  const { tag } = query
  const isCounted = tag === undefined || !/@|%40/i.test(tag)
  const [rows, [hours]] = await ctx.batch([
    selectSteps(ctx, query, range),
    ctx.db.all<{ full: number }>(sql`
      select ${tag === undefined ? sql`0` : hasFullHour(ctx, query, range)} as "full"`),
  ])
  if (isCounted && !hours?.full) return toSeries(rows, range)
  const tagged = await countTagged(ctx, { ...query, tag: tag as string }, range)
  return tagged
    ? { ...toSeries(tagged.rows, range), ...(!tagged.isWhole && { incomplete: true as const }) }
    : { ...toSeries(rows, range), incomplete: true as const }
}

function toRange({ since, until, step }: Query, now: number): Range {
  const end = until ?? now
  const start = since ?? startOf(DAY_MS, end - DEFAULT_DAYS * DAY_MS)
  if (start >= end) throw invalid(["since"], "Must be before `until`")
  const unit = step ?? (end - start < DAYS_BY_DAY * DAY_MS ? "hour" : "day")
  const days = MAX_SERIES_DAYS[unit]
  if (end - start > days * DAY_MS) {
    throw invalid(["since"], `At most ${days} days with the step \`${unit}\``)
  }
  const lastHour = startOf(HOUR_MS, end - 1)
  return { from: startOf(HOUR_MS, start), end: lastHour + HOUR_MS, stepMs: STEP_MS[unit] }
}

const startOf = (unitMs: number, time: number) => Math.floor(time / unitMs) * unitMs

const isInRange = (ctx: Ctx, query: Query, { from, end }: Range) =>
  and(eq(h.teamId, ctx.team), gte(h.hour, from), lt(h.hour, end), matchesFilters(h, query)) as SQL

function selectSteps(ctx: Ctx, query: Query, range: Range) {
  const { tag } = query
  const ofTag = (index: number) => sql`t.value ->> ${sql.raw(String(index))}`
  const sums = HOUR_COUNTS.map((count, index): [string, SQL] => [
    count,
    sql`sum(${tag === undefined ? h[count] : ofTag(index)})`,
  ])
  return ctx.db.all<StepRow>(sql`
    select ${resultColumns({ step: stepOf(h.hour, range), ...Object.fromEntries(sums) })}
    from stats_hours h ${tag === undefined ? sql`` : sql`cross join json_each(${h.tags}) t on t.key = ${tag}`}
    where ${isInRange(ctx, query, range)} group by 1`)
}

/** An hour may have had more tags than it counts. */
const hasFullHour = (ctx: Ctx, query: Query, range: Range) => sql`exists (
  select 1 from stats_hours h where ${isInRange(ctx, query, range)}
    and (select count(*) from json_each(${h.tags})) >= ${MAX_TAGS})`

const ZEROS = Object.fromEntries(HOUR_COUNTS.map((count) => [count, 0])) as Counts

function toSeries(rows: readonly StepRow[], { from, end, stepMs }: Range): StatsSeries {
  const byStep = new Map(rows.map((row) => [row.step, row]))
  const data = Array.from({ length: Math.ceil((end - from) / stepMs) }, (_, step) => ({
    at: from + step * stepMs,
    ...toShown(byStep.get(step) ?? ZEROS),
  }))
  const totals = Object.fromEntries(
    HOUR_COUNTS.map((count) => [count, rows.reduce((sum, row) => sum + row[count], 0)]),
  ) as Counts
  return { data, totals: toShown(totals) }
}

const toShown = ({ hard, soft, ...counts }: Counts) => ({ ...counts, bounced: { hard, soft } })
