import { type SQL, sql } from "drizzle-orm"
import type { Ctx, Work } from "../env.ts"
import { conflict } from "../http/errors.ts"
import { firstIdAt } from "../lib/id.ts"
import { PICKED_UP_WITHIN_MS } from "../queues/look-again.ts"
import { type DeliveryRef, enqueueDeliveries } from "./queue.ts"

export interface NewDelivery extends DeliveryRef {
  sequence: number
  notBefore: number
}

/** A statement that makes deliveries of events `e` for webhooks `w`; `from` joins both and ends in a condition. */
export function makeDeliveries(work: Work, from: SQL) {
  const now = work.now()
  return work.db.all<NewDelivery>(sql`
    insert into deliveries (
      team_id, webhook_id, id, sequence, event_id, event_type, not_before, due_at, created_at
    )
    select w.team_id, w.id, ${newIdsAt(now)}, e.sequence, e.id, e.type, ${now},
      ${now + PICKED_UP_WITHIN_MS}, ${now}
    from ${from} and w.enabled = 1
    returning team_id as teamId, webhook_id as webhookId, id, sequence, not_before as notBefore`)
}

/** Ids that the database makes: the time, the order within the statement, 48 random bits. */
const newIdsAt = (now: number) =>
  sql`${firstIdAt("delivery", now).slice(0, -16)}
    || printf('%04X', row_number() over (order by e.sequence, w.id)) || hex(randomblob(6))`

/** The reply to a call that asked for one delivery, which goes on its way. */
export function queued(ctx: Ctx, [delivery]: NewDelivery[]): { deliveryId: string } {
  assertEnabled(delivery !== undefined)
  ctx.defer(enqueueDeliveries(ctx, [delivery]))
  return { deliveryId: delivery.id }
}

export function assertEnabled(enabled: boolean): asserts enabled {
  if (!enabled) throw conflict("The webhook is disabled.")
}
