import { lt, type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { firstIdAt } from "../../../lib/id.ts"
import { DAY_MS } from "../../../lib/time.ts"
import { ITEMS_A_ROUND, inTurns, type Round } from "../../../lib/turns.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { limitedPerOwner } from "../../platform/db/per-owner.ts"
import { purgeRows } from "../../teams/purge.ts"
import { webhookHours } from "../counts/table.ts"
import type { WebhookRef } from "../messages.ts"
import { DELIVERY_KEY, deletedWebhooks, deliveries, events, webhooks } from "./table.ts"

export const EVENTS_KEPT_MS = 30 * DAY_MS
const COUNTS_KEPT_MS = 2 * DAY_MS

const PURGE_WITHIN_MS = 10_000

/** Purges old events and deliveries, and the deliveries of deleted webhooks. */
export async function purgeEvents(work: Work): Promise<void> {
  const before = work.now() - EVENTS_KEPT_MS
  await purgeEventsBefore(work, before)
  await purgeCounts(work)
  await inTurns(work, PURGE_WITHIN_MS, (round) => purgeDeliveriesBefore(work, before, round))
  await inTurns(work, PURGE_WITHIN_MS, (round) => deleteOrphans(work, round))
}

const ownersOf = (rows: readonly WebhookRef[]) =>
  rows.map(({ teamId, webhookId }) => `${teamId} ${webhookId}`)

/** Nobody reads the counts of earlier hours. */
const purgeCounts = (work: Work) =>
  purgeRows(
    work,
    webhookHours,
    webhookHours.hour,
    lt(webhookHours.hour, work.now() - COUNTS_KEPT_MS),
  )

/** An event's id has the time when it happened; a provider may report it later. */
const purgeEventsBefore = (work: Work, before: number) =>
  purgeRows(
    work,
    events,
    events.sequence,
    sql`${events.id} < ${firstIdAt("event", before)} and ${events.createdAt} < ${before}`,
  )

async function purgeDeliveriesBefore(work: Work, before: number, round: Round) {
  const expired = sql`${selectDeliveries} and ${deliveries.id} < ${firstIdAt("delivery", before)}`
  return ownersOf(await deleteDeliveries(work, webhooks, expired, round))
}

/** Deletes the deliveries of deleted webhooks, then the rows of these webhooks. */
async function deleteOrphans(work: Work, round: Round) {
  const { deleted } = await namedBatch(work.db, {
    deleted: deleteDeliveries(work, deletedWebhooks, selectDeliveries, round),
    finished: work.db.run(
      sql`delete from ${deletedWebhooks} as owner where not exists (${selectDeliveries})`,
    ),
  })
  return ownersOf(deleted)
}

/** A webhook, or a deleted one. */
const owner = alias(webhooks, "owner")

/** The deliveries of `owner`. */
const selectDeliveries = sql`select ${deliveries.id} as value from deliveries
  where ${deliveries.teamId} = ${owner.teamId} and ${deliveries.webhookId} = ${owner.id}`

/** Deletes a share of the deliveries of each webhook in a table, the `owner`. */
function deleteDeliveries(
  { db }: Work,
  table: typeof webhooks | typeof deletedWebhooks,
  values: SQL,
  { after, share }: Round,
) {
  const [teamId = "", webhookId = ""] = after.split(" ")
  return db
    .delete(deliveries)
    .where(
      sql`${DELIVERY_KEY} in (
        select ${owner.teamId}, ${owner.id}, x.value
        from ${table} owner cross join ${limitedPerOwner(values, share)} x
        where (${owner.teamId}, ${owner.id}) > (${teamId}, ${webhookId})
        order by ${owner.teamId}, ${owner.id} limit +${ITEMS_A_ROUND})`,
    )
    .returning({ teamId: deliveries.teamId, webhookId: deliveries.webhookId })
}
