import { type SQLWrapper, sql } from "drizzle-orm"
import type { HOUR_COUNTS } from "./count-hours.ts"

export interface Range {
  from: number
  /** Exclusive. */
  end: number
  stepMs: number
}

export type Counts = Record<(typeof HOUR_COUNTS)[number], number>

/** The sums of a step. */
export type StepRow = Counts & { step: number }

/** The number of the step that a time is in. */
export const stepOf = (time: SQLWrapper, { from, stepMs }: Range) =>
  sql`(${time} - ${from}) / ${stepMs}`
