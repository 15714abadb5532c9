import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { firstIdAt } from "../lib/id.ts"
import { inRounds } from "../lib/rounds.ts"
import type { NewDelivery } from "./new-deliveries.ts"
import { enqueueDeliveries } from "./queue.ts"

const ROUNDS = { rounds: 20, size: 500 }

/** Leaves the queue this long with a delivery before it is looked after again. */
const LOOK_AGAIN_AFTER_MS = 5 * 60_000

export const EVENTS_KEPT_MS = 30 * 24 * 3_600_000

/** Deliveries that are due though no message came, and ones whose consumer died with the lease. */
export const sweepDeliveries = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = await work.db.all<NewDelivery>(sql`
      update deliveries set due_at = ${work.now() + LOOK_AGAIN_AFTER_MS}
      where (team_id, webhook_id, id) in (
        select team_id, webhook_id, id from deliveries
        where due_at <= ${work.now()} order by due_at limit ${size}
      )
      returning team_id as teamId, webhook_id as webhookId, id, sequence, not_before as notBefore`)
    await enqueueDeliveries(work, due)
    return due.length
  })

/** Purges events and deliveries that are past their days, a bounded number a minute. */
export async function purgeEvents(work: Work): Promise<void> {
  const before = work.now() - EVENTS_KEPT_MS
  // An event's id has the time of the happening, which a provider may report late.
  await purge(
    work,
    sql`delete from events where (team_id, sequence)`,
    sql`select e.team_id, e.sequence from teams t
      cross join events e on e.team_id = t.id and e.id < ${firstIdAt("event", before)}
        and e.created_at < ${before}`,
  )
  await purge(
    work,
    sql`delete from deliveries where (team_id, webhook_id, id)`,
    sql`select d.team_id, d.webhook_id, d.id from webhooks w
      cross join deliveries d on d.team_id = w.team_id and d.webhook_id = w.id
        and d.id < ${firstIdAt("delivery", before)}`,
  )
}

const purge = (work: Work, deleteWhere: SQL, expired: SQL) =>
  inRounds(ROUNDS, async (size) => {
    const { meta } = await work.db.run(sql`${deleteWhere} in (${expired} limit ${size})`)
    return meta.changes
  })
