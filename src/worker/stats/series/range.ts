import { and, eq, gte, lt, type SQL } from "drizzle-orm"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../lib/time.ts"
import type { Ctx } from "../../platform/context.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { invalid } from "../../platform/http/errors.ts"
import {
  type getStatsSeries as contract,
  DAYS_BY_DAY,
  DEFAULT_DAYS,
  MAX_SERIES_DAYS,
} from "../contract.ts"
import { statsHours } from "../table.ts"
import { matchesFilters, type Range } from "./steps.ts"

type Query = Omit<InputOf<typeof contract>["query"], "tag">
/** A caller's `since` of seven days ago comes some moments later than it was written. */
const CALL_MS = MINUTE_MS
const STEP_MS = { hour: HOUR_MS, day: DAY_MS }

export function toRange({ since, until, step }: Query, now: number): Range {
  const end = until ?? now
  const start = since ?? defaultStart(end, step)
  if (start >= end) throw invalid(["since"], "Must be before `until`")
  const unit = step ?? (end - start < DAYS_BY_DAY * DAY_MS ? "hour" : "day")
  const days = MAX_SERIES_DAYS[unit]
  if (end - start > days * DAY_MS + (until === undefined ? CALL_MS : 0)) {
    throw invalid(["since"], `At most ${days} days with the step \`${unit}\``)
  }
  const lastHour = startOf(HOUR_MS, end - 1)
  return { from: startOf(HOUR_MS, start), end: lastHour + HOUR_MS, stepMs: STEP_MS[unit] }
}

const defaultStart = (end: number, step: Query["step"]) =>
  step === "hour" ? end - DAY_MS : startOf(DAY_MS, end - DEFAULT_DAYS * DAY_MS)

const startOf = (unitMs: number, time: number) => Math.floor(time / unitMs) * unitMs

/** The rows of the hours of a range. */
export const isInRange = (ctx: Ctx, query: Query, { from, end }: Range) =>
  and(
    eq(statsHours.teamId, ctx.team),
    gte(statsHours.hour, from),
    lt(statsHours.hour, end),
    matchesFilters(statsHours, query),
  ) as SQL
