import { sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { resultColumns } from "../../platform/db/columns.ts"
import type { InputOf, OutputOf } from "../../platform/http/endpoint.ts"
import { isInRange, toRange } from "../series/range.ts"
import { statsHours } from "../table.ts"
import type { listTemplateSends as contract } from "./contract.ts"

/** Reads the rows that a series of the same range reads. */
export async function listTemplateSends(
  ctx: Ctx,
  query: InputOf<typeof contract>["query"],
): Promise<OutputOf<typeof contract>> {
  const range = toRange({ ...query, step: "day" }, ctx.now())
  const [data] = await ctx.batch([
    ctx.db.all<{ templateId: string; sent: number; lastHour: number }>(sql`
      select ${resultColumns({
        templateId: statsHours.templateId,
        sent: sql`sum(${statsHours.sent})`,
        lastHour: sql`max(${statsHours.hour})`,
      })}
      from stats_hours
      where ${isInRange(ctx, {}, range)} and ${statsHours.templateId} <> '' and ${statsHours.sent} > 0
      group by 1`),
  ])
  return { data }
}
