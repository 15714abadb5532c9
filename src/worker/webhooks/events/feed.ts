import { and, asc, eq, getTableColumns, gt, sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { inShare, lightRows } from "../../platform/http/pages/light-page.ts"
import type { listEvents as contract } from "../contract.ts"
import { toEvent } from "../payload.ts"
import { type EventRow, eventSequences, events } from "./table.ts"

export async function listEvents(ctx: Ctx, { after, limit }: InputOf<typeof contract>["query"]) {
  const [rows, [sequence]] = await ctx.batch([
    ctx.db
      .select({ ...getTableColumns(events), ...inShare({ data: events.data }, limit) })
      .from(events)
      .where(and(eq(events.teamId, ctx.team), gt(events.sequence, after)))
      .orderBy(asc(events.sequence))
      .limit(limit),
    ctx.db
      .select({ last: eventSequences.last })
      .from(eventSequences)
      .where(eq(eventSequences.teamId, ctx.team)),
  ])
  const last = sequence?.last ?? 0
  // The database was restored to an earlier time: numbers are given out again.
  if (after > last) return { data: [], nextAfter: 0, reset: true as const }
  const isWhole = (row: (typeof rows)[number]): row is EventRow => row.data !== null
  const { data, length } = await lightRows(rows, limit, isWhole, async ({ sequence }) => {
    const isSame = and(eq(events.teamId, ctx.team), eq(events.sequence, sequence))
    return (await ctx.batch([ctx.db.select().from(events).where(isSame)]))[0]
  })
  return {
    data: data.map((row) => ({ sequence: row.sequence, ...toEvent(row) })),
    nextAfter: rows.slice(0, length).at(-1)?.sequence ?? after,
  }
}

/** The number of the last event stored before a time, by a binary search. */
export async function findPosition(ctx: Ctx, at = Number.MAX_SAFE_INTEGER) {
  const middle = sql`(low + high + 1) / 2`
  const isBefore = sql`not exists (
    select 1 from events where ${events.teamId} = ${ctx.team} and ${events.sequence} = ${middle}
      and ${events.createdAt} >= ${at})`
  const [[found]] = await ctx.batch([
    ctx.db.all<{ after: number }>(sql`
      with recursive search (low, high) as (
        select 0, ${eventSequences.last} from event_sequences where ${eventSequences.teamId} = ${ctx.team}
        union all
        select iif(${isBefore}, ${middle}, low), iif(${isBefore}, high, ${middle} - 1)
        from search where low < high
      )
      select low as after from search where low = high`),
  ])
  return { after: found?.after ?? 0 }
}
