import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { resultColumns } from "../../platform/db/columns.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import type { getStatsSeries as contract, StatsSeries } from "../contract.ts"
import { statsHours } from "../table.ts"
import { HOUR_COUNTS, isCountable, MAX_TAGS } from "./count-hours.ts"
import { isInRange, toRange } from "./range.ts"
import { type Counts, type Range, type StepRow, stepOf } from "./steps.ts"
import { countTagged } from "./tagged-emails.ts"

type Query = InputOf<typeof contract>["query"]

/** Sums the rows of the hours of the range: as many as it has hours, times the combinations in use. */
export async function getStatsSeries(ctx: Ctx, query: Query): Promise<StatsSeries> {
  const range = toRange(query, ctx.now())
  const { tag } = query
  const isCounted = tag === undefined || isCountable(tag)
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

function selectSteps(ctx: Ctx, query: Query, range: Range) {
  const { tag } = query
  const ofTag = (index: number) => sql`t.value ->> ${sql.raw(String(index))}`
  const sums = HOUR_COUNTS.map((count, index): [string, SQL] => [
    count,
    sql`sum(${tag === undefined ? statsHours[count] : ofTag(index)})`,
  ])
  const joinTag = sql`cross join json_each(${statsHours.tags}) t on t.key = ${tag}`
  return ctx.db.all<StepRow>(sql`
    select ${resultColumns({ step: stepOf(statsHours.hour, range), ...Object.fromEntries(sums) })}
    from stats_hours ${tag === undefined ? sql`` : joinTag}
    where ${isInRange(ctx, query, range)} group by 1`)
}

/** An hour may have had more tags than it counts. */
const hasFullHour = (ctx: Ctx, query: Query, range: Range) => sql`exists (
  select 1 from stats_hours where ${isInRange(ctx, query, range)}
    and (select count(*) from json_each(${statsHours.tags})) >= ${MAX_TAGS})`

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

export const toShown = ({ hard, soft, ...counts }: Counts) => ({
  ...counts,
  bounced: { hard, soft },
})
