import { sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { resultColumns } from "../../platform/db/columns.ts"
import type { InputOf, OutputOf } from "../../platform/http/endpoint.ts"
import { isInRange, toRange } from "../series/range.ts"
import { h } from "../table.ts"
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
        templateId: h.templateId,
        sent: sql`sum(${h.sent})`,
        lastHour: sql`max(${h.hour})`,
      })}
      from stats_hours h
      where ${isInRange(ctx, {}, range)} and ${h.templateId} <> '' and ${h.sent} > 0
      group by 1`),
  ])
  return { data }
}
