import { type SQL, sql } from "drizzle-orm"
import { firstIdAt } from "../../lib/id.ts"
import { DAY_MS, HOUR_MS } from "../../lib/time.ts"
import type { Ctx } from "../platform/context.ts"
import { columnsOf } from "../platform/db/columns.ts"
import { webhookHours } from "./counts/table.ts"
import type { WebhookHealth } from "./dashboard-contract.ts"
import type { Attempt } from "./deliveries/contract.ts"
import { deliveries, isNotDropped, webhooks } from "./events/table.ts"

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

const ended = columnsOf<"webhook_id" | "succeeded" | "failed">("ended")

/** A failed attempt as text: later deliveries are greater. */
const failure = sql`iif(${deliveries.attempts} <> '[]',
  json_array(${deliveries.id}, json(${deliveries.attempts} -> '$[#-1]')), null)`

/** The deliveries that ended in the last 24 hours by webhook, and those that are pending. */
export async function readHealth(ctx: Ctx): Promise<{ data: WebhookHealth[] }> {
  const dayAgo = ctx.now() - DAY_MS
  const since = dayAgo + HOUR_MS - (dayAgo % HOUR_MS)
  // D1 binds numbers as fractions, and a limit must be whole.
  const share = sql`(select cast(${SCANNED_A_CALL} / max(1, count(*)) as integer) from webhooks
    where ${webhooks.teamId} = ${ctx.team})`
  const countOf = (count: SQL) => sql`
    coalesce((select sum(${count}) from ended where ${ended.webhook_id} = ${webhooks.id}), 0)`
  const [rows] = await ctx.batch([
    ctx.db.all<Row>(sql`
      with ended as materialized (
        select * from webhook_hours where ${webhookHours.teamId} = ${ctx.team}
          and ${webhookHours.hour} >= ${since}
      )
      select "webhookId", "probeAt", succeeded, failed, due ->> 0 as pending, due ->> 1 as dropped,
        nullif(max(coalesce(due ->> 2, ''), coalesce(newest_failure, '')), '') as failure
      from (
        select ${webhooks.id} as "webhookId", ${countOf(ended.succeeded)} as succeeded,
          ${countOf(ended.failed)} as failed,
          iif(${webhooks.restsUntil} > ${webhooks.updatedAt}, ${webhooks.restsUntil}, null) as "probeAt", (
            select json_array(count(*) filter (where is_pending), count(*) filter (where not is_pending),
              max(failure))
            from (
              select ${isNotDropped} as is_pending, ${failure} as failure from deliveries
              where ${deliveries.webhookId} = ${webhooks.id}
                and ${deliveries.dueAt} is not null limit +${share}
            )
          ) as due, (
            select max(failure) from (
              select ${failure} as failure from deliveries indexed by deliveries_failed
              where ${deliveries.teamId} = ${webhooks.teamId} and ${deliveries.webhookId} = ${webhooks.id}
                and ${deliveries.state} in ('failed', 'exhausted')
                and ${deliveries.id} >= ${firstIdAt("delivery", dayAgo)}
              order by ${deliveries.id} desc limit +${share}
            )
          ) as newest_failure
        from webhooks where ${webhooks.teamId} = ${ctx.team}
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
