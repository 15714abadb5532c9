import { sql } from "drizzle-orm"
import { firstIdAt } from "../../lib/id.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Ctx } from "../platform/context.ts"
import type { WebhookHealth } from "./dashboard-contract.ts"
import type { Attempt } from "./deliveries/contract.ts"
import { d, effectiveState, w } from "./events/table.ts"

/** How many deliveries one call reads, over all webhooks. */
const SCANNED_A_CALL = 5_000

interface Counted {
  webhookId: string
  share: number
  probeAt: number | null
  counts: string
}
interface Counts extends Pick<WebhookHealth, "succeeded" | "failed" | "pending"> {
  size: number
  oldest: number | null
  failure: [deliveryId: string, attempt: Attempt] | null
}

/** The deliveries of the last 24 hours by webhook, within a bounded number of rows. */
export async function readHealth(ctx: Ctx): Promise<{ data: WebhookHealth[] }> {
  const since = ctx.now() - DAY_MS
  // D1 binds numbers as fractions, and a limit must be whole.
  const share = sql`(select cast(${SCANNED_A_CALL} / max(1, count(*)) as integer) from webhooks w
    where ${w.teamId} = ${ctx.team})`
  const [rows] = await ctx.batch([
    ctx.db.all<Counted>(sql`
      select ${w.id} as "webhookId",
        iif(${w.restsUntil} > ${w.updatedAt}, ${w.restsUntil}, null) as "probeAt", ${share} as share, (
        select json_object('size', count(*), 'oldest', min(at),
          'succeeded', count(*) filter (where state = 'succeeded'),
          'pending', count(*) filter (where state = 'pending'),
          'failed', count(*) filter (where state in ('failed', 'exhausted')),
          'failure', json(max(failure)))
        from (
          select ${effectiveState} as state, ${d.createdAt} as at,
            iif(${d.state} <> 'succeeded' and ${d.attempts} <> '[]',
              json_array(${d.id}, json(${d.attempts} -> '$[#-1]')), null) as failure
          from deliveries d
          where ${d.teamId} = ${w.teamId} and ${d.webhookId} = ${w.id}
            and ${d.id} >= ${firstIdAt("delivery", since)}
          order by ${d.id} desc limit ${share}
        )
      ) as counts
      from webhooks w where ${w.teamId} = ${ctx.team} order by ${w.id} desc`),
  ])
  return { data: rows.map((row) => toHealth(row, since)) }
}

function toHealth({ webhookId, share, probeAt, counts }: Counted, since: number): WebhookHealth {
  const { size, oldest, failure, ...states } = JSON.parse(counts) as Counts
  const [deliveryId, attempt] = failure ?? []
  return {
    webhookId,
    ...states,
    since: size < share ? since : Math.max(oldest ?? since, since),
    lastFailure:
      deliveryId && attempt
        ? {
            deliveryId,
            at: attempt.startedAt,
            statusCode: attempt.statusCode,
            error: attempt.error,
          }
        : null,
    probeAt,
  }
}
