import { type Column, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { firstIdAt } from "../../lib/id.ts"
import { DAY_MS, HOUR_MS } from "../../lib/time.ts"
import type { Ctx } from "../platform/context.ts"
import { webhookHours } from "./counts/table.ts"
import type { WebhookHealth } from "./dashboard-contract.ts"
import type { Attempt } from "./deliveries/contract.ts"
import { d, isNotDropped, w } from "./events/table.ts"

const h = alias(webhookHours, "h")

/** How many deliveries one call reads, over all webhooks: those that are pending, and those that failed. */
const SCANNED_A_CALL = 5_000

interface Row {
  webhookId: string
  probeAt: number | null
  succeeded: number
  failed: number
  pending: number
  /** Of a disabled webhook: they count as failed before the sweep has failed their rows. */
  dropped: number
  failure: string | null
}

/** A failed attempt as text: later deliveries are greater. */
const failure = sql`iif(${d.attempts} <> '[]',
  json_array(${d.id}, json(${d.attempts} -> '$[#-1]')), null)`

/** The deliveries that ended in the last 24 hours by webhook, and those that are pending. */
export async function readHealth(ctx: Ctx): Promise<{ data: WebhookHealth[] }> {
  const dayAgo = ctx.now() - DAY_MS
  const since = dayAgo + HOUR_MS - (dayAgo % HOUR_MS)
  // D1 binds numbers as fractions, and a limit must be whole.
  const share = sql`(select cast(${SCANNED_A_CALL} / max(1, count(*)) as integer) from webhooks w
    where ${w.teamId} = ${ctx.team})`
  const countOf = (count: Column) => sql`
    coalesce((select sum(${count}) from ended h where ${h.webhookId} = ${w.id}), 0)`
  const [rows] = await ctx.batch([
    ctx.db.all<Row>(sql`
      with ended as materialized (
        select * from webhook_hours h where ${h.teamId} = ${ctx.team} and ${h.hour} >= ${since}
      )
      select "webhookId", "probeAt", succeeded, failed, due ->> 0 as pending, due ->> 1 as dropped,
        nullif(max(coalesce(due ->> 2, ''), coalesce(newest_failure, '')), '') as failure
      from (
        select ${w.id} as "webhookId", ${countOf(h.succeeded)} as succeeded, ${countOf(h.failed)} as failed,
          iif(${w.restsUntil} > ${w.updatedAt}, ${w.restsUntil}, null) as "probeAt", (
            select json_array(count(*) filter (where is_pending), count(*) filter (where not is_pending),
              max(failure))
            from (
              select ${isNotDropped} as is_pending, ${failure} as failure from deliveries d
              where ${d.webhookId} = ${w.id} and ${d.dueAt} is not null limit ${share}
            )
          ) as due, (
            select max(failure) from (
              select ${failure} as failure from deliveries d indexed by deliveries_failed
              where ${d.teamId} = ${w.teamId} and ${d.webhookId} = ${w.id} and ${d.state} in ('failed', 'exhausted')
                and ${d.id} >= ${firstIdAt("delivery", dayAgo)}
              order by ${d.id} desc limit ${share}
            )
          ) as newest_failure
        from webhooks w where ${w.teamId} = ${ctx.team}
      ) order by "webhookId" desc`),
  ])
  return { data: rows.map((row) => toHealth(row, since)) }
}

function toHealth({ failed, dropped, failure, ...row }: Row, since: number): WebhookHealth {
  const lastFailure = failure === null ? null : (JSON.parse(failure) as [string, Attempt])
  return {
    ...row,
    failed: failed + dropped,
    since,
    lastFailure: lastFailure && {
      deliveryId: lastFailure[0],
      at: lastFailure[1].startedAt,
      statusCode: lastFailure[1].statusCode,
      error: lastFailure[1].error,
    },
  }
}
