import { type SQL, sql } from "drizzle-orm"
import { namedBatch } from "../db/client.ts"
import { shareOf } from "../db/share.ts"
import type { Work } from "../env.ts"
import { enqueueDeliveries } from "../events/queue.ts"
import {
  DELIVERY_KEY,
  d,
  deletedWebhooks,
  deliveries,
  EVENT_KEY,
  e,
  events,
  w,
  webhooks,
} from "../events/table.ts"
import { firstIdAt } from "../lib/id.ts"
import { inTurns, ROUND } from "../lib/rounds.ts"
import { DELIVERY_BACKOFF_MS } from "../queues/due-work.ts"
import type { WebhookRef } from "../queues/messages.ts"
import { teams } from "../teams/table.ts"
import { sweepDropped } from "./drop.ts"
import { sweepHeldWebhooks } from "./hold.ts"

export const EVENTS_KEPT_MS = 30 * 24 * 3_600_000

const PURGE_WITHIN_MS = 10_000
const ENQUEUE_WITHIN_MS = 20_000

export async function sweepDeliveries(work: Work): Promise<void> {
  await sweepDropped(work)
  await sweepHeldWebhooks(work)
  await sweepDueDeliveries(work)
}

/** Due deliveries whose message was lost, or whose consumer died with the lease. */
const sweepDueDeliveries = (work: Work) =>
  inTurns({ now: work.now, withinMs: ENQUEUE_WITHIN_MS }, async (after, share) => {
    const { teamId, webhookId, id, notBefore } = deliveries
    const due = await work.db
      .update(deliveries)
      .set({ dueAt: work.now() + DELIVERY_BACKOFF_MS })
      .where(sql`${DELIVERY_KEY} in (${selectDue(work, after, share)})`)
      .returning({ teamId, webhookId, id, notBefore })
    await enqueueDeliveries(work, due)
    return due.map(({ webhookId }) => webhookId)
  })

/** A share of each webhook that is not held, read from the index webhook by webhook. */
const selectDue = (work: Work, after: string, share: number) => sql`
  with recursive waiting (id) as (
    select ${nextWaiting(sql`${after}`)}
    union all
    select ${nextWaiting(sql`waiting.id`)} from waiting where waiting.id is not null
  )
  select ${w.teamId}, ${w.id}, x.value ->> 1 from waiting
  cross join ${shareOf(
    sql`select json_array(${d.teamId}, ${d.id}) as piece from deliveries d
      where ${d.webhookId} = waiting.id and ${d.dueAt} <= ${work.now()} order by ${d.dueAt}`,
    share,
  )} x
  cross join webhooks w
    on ${w.teamId} = x.value ->> 0 and ${w.id} = waiting.id and ${w.probeAt} is null and ${w.droppedAt} = 0
  limit ${ROUND}`

const nextWaiting = (after: SQL) => sql`(
  select min(${d.webhookId}) from deliveries d
  where ${d.dueAt} is not null and ${d.webhookId} > ${after})`

/** Purges old events and deliveries, and the deliveries of deleted webhooks. */
export async function purgeEvents(work: Work): Promise<void> {
  const before = work.now() - EVENTS_KEPT_MS
  await purge(work, (after, share) => purgeEventsBefore(work, before, after, share))
  await purge(work, (after, share) => purgeDeliveriesBefore(work, before, after, share))
  await purge(work, (after, share) => deleteOrphans(work, after, share))
}

const purge = (work: Work, round: (after: string, share: number) => Promise<string[]>) =>
  inTurns({ now: work.now, withinMs: PURGE_WITHIN_MS }, round)

const ownersOf = (rows: readonly WebhookRef[]) =>
  rows.map(({ teamId, webhookId }) => `${teamId} ${webhookId}`)

/** An event's id has the time when it happened; a provider may report it later. */
async function purgeEventsBefore(work: Work, before: number, after: string, share: number) {
  const expired = sql`select ${e.sequence} as piece from events e
    where ${e.teamId} = ${teams.id} and ${e.id} < ${firstIdAt("event", before)}
      and ${e.createdAt} < ${before}`
  const purged = await work.db
    .delete(events)
    .where(
      sql`${EVENT_KEY} in (
        select ${teams.id}, x.value from ${teams} cross join ${shareOf(expired, share)} x
        where ${teams.id} > ${after} order by ${teams.id} limit ${ROUND})`,
    )
    .returning({ teamId: events.teamId })
  return purged.map(({ teamId }) => teamId)
}

async function purgeDeliveriesBefore(work: Work, before: number, after: string, share: number) {
  const expired = sql`${selectPieces} and ${d.id} < ${firstIdAt("delivery", before)}`
  return ownersOf(await deleteDeliveries(work, webhooks, expired, after, share))
}

/** Deletes the deliveries of deleted webhooks, then the rows of these webhooks. */
async function deleteOrphans(work: Work, after: string, share: number) {
  const { deleted } = await namedBatch(work.db, {
    deleted: deleteDeliveries(work, deletedWebhooks, selectPieces, after, share),
    finished: work.db.run(
      sql`delete from ${deletedWebhooks} as w where not exists (${selectPieces})`,
    ),
  })
  return ownersOf(deleted)
}

/** The deliveries of a webhook `w`. */
const selectPieces = sql`select ${d.id} as piece from deliveries d
  where ${d.teamId} = ${w.teamId} and ${d.webhookId} = ${w.id}`

/** Deletes a share of the deliveries of each webhook in a table, `w`. */
function deleteDeliveries(
  { db }: Work,
  table: typeof webhooks | typeof deletedWebhooks,
  pieces: SQL,
  after: string,
  share: number,
) {
  const [teamId = "", webhookId = ""] = after.split(" ")
  return db
    .delete(deliveries)
    .where(
      sql`${DELIVERY_KEY} in (
        select ${w.teamId}, ${w.id}, x.value from ${table} w cross join ${shareOf(pieces, share)} x
        where (${w.teamId}, ${w.id}) > (${teamId}, ${webhookId})
        order by ${w.teamId}, ${w.id} limit ${ROUND})`,
    )
    .returning({ teamId: deliveries.teamId, webhookId: deliveries.webhookId })
}
