import { type SQL, sql } from "drizzle-orm"
import { namedBatch } from "../db/client.ts"
import { shareOf } from "../db/share.ts"
import type { Work } from "../env.ts"
import { type NewDelivery, newDeliveryColumns } from "../events/new-deliveries.ts"
import { enqueueDeliveries } from "../events/queue.ts"
import { firstIdAt } from "../lib/id.ts"
import { inTurns, ROUND } from "../lib/rounds.ts"
import { sweepHeldWebhooks } from "./hold.ts"

/** How long the queue keeps a delivery before the sweep queues it again. */
const BACKOFF_MS = 5 * 60_000

export const EVENTS_KEPT_MS = 30 * 24 * 3_600_000

const PURGE_WITHIN_MS = 10_000
const ENQUEUE_WITHIN_MS = 20_000

export async function sweepDeliveries(work: Work): Promise<void> {
  await sweepHeldWebhooks(work)
  await sweepDueDeliveries(work)
}

/** Due deliveries whose message was lost, or whose consumer died with the lease. */
const sweepDueDeliveries = (work: Work) =>
  inTurns({ now: work.now, withinMs: ENQUEUE_WITHIN_MS }, async (after, share) => {
    const due = await work.db.all<NewDelivery>(sql`
      update deliveries set due_at = ${work.now() + BACKOFF_MS}
      where (team_id, webhook_id, id) in (${selectDue(work, after, share)})
      returning ${newDeliveryColumns}`)
    await enqueueDeliveries(work, due)
    return due.map(({ webhookId }) => webhookId)
  })

/** A share of each webhook that is not held, read from the index webhook by webhook. */
const selectDue = (work: Work, after: string, share: number) => sql`
  with recursive waiting (id) as (
    select min(webhook_id) from deliveries where due_at is not null and webhook_id > ${after}
    union all
    select (
      select min(webhook_id) from deliveries where due_at is not null and webhook_id > waiting.id
    )
    from waiting where waiting.id is not null
  )
  select w.team_id, w.id, x.value ->> 1 from waiting
  cross join ${shareOf(
    sql`select json_array(team_id, id) as piece from deliveries
      where webhook_id = waiting.id and due_at <= ${work.now()} order by due_at`,
    share,
  )} x
  cross join webhooks w
    on w.team_id = x.value ->> 0 and w.id = waiting.id and w.probe_at is null
  limit ${ROUND}`

/** Purges old events and deliveries, and the deliveries of deleted webhooks. */
export async function purgeEvents(work: Work): Promise<void> {
  const before = work.now() - EVENTS_KEPT_MS
  await purge(work, (after, share) => purgeEventsBefore(work, before, after, share))
  await purge(work, (after, share) => purgeDeliveriesBefore(work, before, after, share))
  await purge(work, (after, share) => deleteOrphans(work, after, share))
}

const purge = (work: Work, round: (after: string, share: number) => Promise<string[]>) =>
  inTurns({ now: work.now, withinMs: PURGE_WITHIN_MS }, round)

interface Owned {
  owner: string
}
const ownersOf = (rows: readonly Owned[]) => rows.map(({ owner }) => owner)

/** An event's id has the time when it happened; a provider may report it later. */
async function purgeEventsBefore(work: Work, before: number, after: string, share: number) {
  const expired = sql`select sequence as piece from events where team_id = t.id
    and id < ${firstIdAt("event", before)} and created_at < ${before}`
  return ownersOf(
    await work.db.all<Owned>(sql`
      delete from events where (team_id, sequence) in (
        select t.id, x.value from teams t cross join ${shareOf(expired, share)} x
        where t.id > ${after} order by t.id limit ${ROUND}
      ) returning team_id as owner`),
  )
}

async function purgeDeliveriesBefore(work: Work, before: number, after: string, share: number) {
  const expired = sql`select id as piece from deliveries
    where team_id = w.team_id and webhook_id = w.id and id < ${firstIdAt("delivery", before)}`
  return ownersOf(await deleteDeliveries(work, sql`webhooks`, expired, after, share))
}

/** Deletes the deliveries of deleted webhooks, then the rows of these webhooks. */
async function deleteOrphans(work: Work, after: string, share: number) {
  const left = sql`select id as piece from deliveries where team_id = w.team_id and webhook_id = w.id`
  const { deleted } = await namedBatch(work.db, {
    deleted: deleteDeliveries(work, sql`deleted_webhooks`, left, after, share),
    finished: work.db.run(sql`delete from deleted_webhooks as w where not exists (${left})`),
  })
  return ownersOf(deleted)
}

/** Deletes a share of deliveries of each webhook `w` in a table. An owner is both ids. */
function deleteDeliveries(work: Work, table: SQL, pieces: SQL, after: string, share: number) {
  const [teamId = "", webhookId = ""] = after.split(" ")
  return work.db.all<Owned>(sql`
    delete from deliveries where (team_id, webhook_id, id) in (
      select w.team_id, w.id, x.value from ${table} w cross join ${shareOf(pieces, share)} x
      where (w.team_id, w.id) > (${teamId}, ${webhookId}) order by w.team_id, w.id limit ${ROUND}
    ) returning team_id || ' ' || webhook_id as owner`)
}
