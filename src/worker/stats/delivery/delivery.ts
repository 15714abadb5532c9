import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { resultColumns } from "../../platform/db/columns.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { HOUR_COUNTS } from "../series/count-hours.ts"
import { isInRange, toRange } from "../series/range.ts"
import { toShown } from "../series/series.ts"
import type { Counts } from "../series/steps.ts"
import { statsHours } from "../table.ts"
import type { getStatsDelivery as contract } from "./contract.ts"
import { msOfStep } from "./mailboxes.ts"

interface TimeStep {
  step: number
  emails: number
}

/** One round trip. It reads the rows that a series of the range reads. */
export async function getStatsDelivery(ctx: Ctx, query: InputOf<typeof contract>["query"]) {
  const inRange = isInRange(ctx, query, toRange({ ...query, step: "day" }, ctx.now()))
  const sums = HOUR_COUNTS.map((count, index): [string, SQL] => [
    count,
    sql`sum(t.value ->> ${sql.raw(String(index))})`,
  ])
  const [steps, mailboxes] = await ctx.batch([
    ctx.db.all<TimeStep>(sql`
      select cast(t.key as integer) as step, sum(t.value) as emails
      from stats_hours cross join json_each(${statsHours.deliveryTimes}) t
      where ${inRange} group by 1 order by 1`),
    ctx.db.all<Counts & { name: string }>(sql`
      select ${resultColumns({ name: sql`t.key`, ...Object.fromEntries(sums) })}
      from stats_hours cross join json_each(${statsHours.mailboxes}) t
      where ${inRange} group by 1 order by sent desc, 1`),
  ])
  return {
    time: steps.length > 0 ? { medianMs: msAt(steps, 0.5), p95Ms: msAt(steps, 0.95) } : null,
    mailboxes: mailboxes.map(({ name, ...counts }) => ({ name, ...toShown(counts) })),
  }
}

/** The time within which this share of the emails was delivered. */
function msAt(steps: readonly TimeStep[], share: number): number {
  let left = share * steps.reduce((sum, { emails }) => sum + emails, 0)
  const found = steps.find(({ emails }) => {
    left -= emails
    return left <= 0
  })
  return msOfStep((found ?? steps.at(-1))?.step ?? 0)
}
