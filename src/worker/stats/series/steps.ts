import { and, type Column, eq, type SQLWrapper, sql } from "drizzle-orm"
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

/** The number of the step that a time is in. D1 binds numbers as floats, so the division is cut. */
export const stepOf = (time: SQLWrapper, { from, stepMs }: Range) =>
  sql`cast((${time} - ${from}) / ${stepMs} as integer)`

type Filter = "domainId" | "templateId" | "campaignId"

/** The filters of a series that are given. */
export const matchesFilters = (
  columns: Record<Filter, Column>,
  { domainId, templateId, campaignId }: { [Name in Filter]?: string | undefined },
) =>
  and(
    matchesId(columns.domainId, domainId),
    matchesId(columns.templateId, templateId),
    matchesId(columns.campaignId, campaignId),
  )

/** Mail without a campaign has an empty id there, which as a filter is an unknown id. */
const matchesId = (column: Column, id: string | undefined) =>
  id === undefined ? undefined : id === "" ? sql`false` : eq(column, id)
