import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import type { Ctx, Work } from "../../platform/context.ts"
import { namedBatch, type Query } from "../../platform/db/client.ts"
import { assignments } from "../../platform/db/columns.ts"
import { afterCommit, type WithAfterCommit } from "../../platform/db/commit.ts"
import { isOneOf, jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { conflict } from "../../platform/http/errors.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import type { WebhookRef } from "../messages.ts"
import { enqueueNewHints, type NewHint, selectNewHints } from "./hints.ts"
import { deliveryTimes, makeLaterDeliveries } from "./new-deliveries.ts"
import { deliveries, eventSequences, events, isNotDropped, webhooks } from "./table.ts"

/** Everybody waits for a batch. */
const MADE_AT_ONCE = 1_000
const ROUNDS = 20

const SWEPT_AT_ONCE = 5

/** While events wait, less room than this part of the limit is not filled. */
const LEAST_ROOM = 1 / 10

/** A webhook that gets one delivery at a time has this part of the limit. */
export const SLOW_PART = 1 / 100

/** For `commit`: messages and room follow the commit. */
export const thenEnqueueHints = <Q extends Query & { _: { result: NewHint[] } }>(
  query: Q,
): WithAfterCommit<Q> =>
  afterCommit(query, async (work, rows: readonly NewHint[]) => {
    await enqueueNewHints(work, rows)
    await catchUp(
      work,
      rows.filter(({ needsRoom }) => needsRoom),
    )
  })

/** For `commit`: deliveries of events that were stored before. `page` may order and limit them. */
export function makeRepeats(work: Work, teamId: string, from: SQL, page?: SQL) {
  const times = deliveryTimes(work.now())
  return {
    made: makeLaterDeliveries(work, from, times, page),
    hints: thenEnqueueHints(selectNewHints(work, JSON.stringify([teamId]), times)),
  }
}

/** A condition: an event with this number gets its delivery for the webhook at once. */
export const hasRoomFor = (sequence: SQLWrapper) =>
  sql`ifnull(${sequence} <= ${webhooks.deliverUntil}, 1)`

interface Room extends WebhookRef {
  deliverUntil: number | null
  last: number
  /** How many deliveries the webhook may have pending, and how many more than now. */
  size: number
  room: number
}

/** Dropped deliveries are not pending, though their rows may say so until the sweep. */
function selectRooms({ db, settings }: Work, refs: readonly WebhookRef[]) {
  const limit = settings.WEBHOOK_PENDING_LIMIT
  const x = jsonFields<WebhookRef>()
  return db.all<Room>(sql`
    select *, max(0, size - pending) as room from (
      select ${webhooks.teamId} as "teamId", ${webhooks.id} as "webhookId",
        ${webhooks.deliverUntil} as "deliverUntil", ${eventSequences.last} as last,
        iif(${webhooks.restsUntil} is null, ${limit}, ${limit * SLOW_PART}) as size, (
          select count(*) from (
            select ${isNotDropped} as "isPending" from deliveries
            where ${deliveries.webhookId} = ${webhooks.id}
              and ${deliveries.dueAt} is not null limit +${limit}
          ) where "isPending") as pending
      from ${jsonRows(refs)} cross join webhooks on ${webhooks.teamId} = ${x.teamId}
        and ${webhooks.id} = ${x.webhookId} and ${webhooks.enabled} = 1
      cross join event_sequences on ${eventSequences.teamId} = ${webhooks.teamId})`)
}

/** For calls that make many deliveries of old events. */
export async function assertRoom(ctx: Ctx, ref: WebhookRef): Promise<void> {
  const [found] = await selectRooms(ctx, [ref])
  if (found && found.room <= 0) {
    throw conflict("Too many deliveries of the webhook are pending. Try again when it has fewer.")
  }
}

/**
 * Gives webhooks room up to the limit of pending deliveries, and makes the deliveries of the events
 * that waited, in their order.
 */
export async function catchUp(work: Work, refs: readonly WebhookRef[]): Promise<void> {
  if (refs.length === 0) return
  let rooms = await selectRooms(work, refs)
  for (let rounds = 0; rounds < ROUNDS; rounds++) {
    rooms = rooms.filter((one) => !isBehind(one) || one.room >= one.size * LEAST_ROOM)
    if (rooms.length === 0) return
    const { made, moved, hints } = await makeNext(work, rooms)
    await enqueueNewHints(work, hints)
    const madeOf = Map.groupBy(made, ({ webhookId }) => webhookId)
    const nextOf = new Map(moved.map((next) => [next.webhookId, next]))
    // A webhook without an answer was moved by another consumer.
    rooms = rooms.flatMap((one) => {
      const next = nextOf.get(one.webhookId)
      const room = one.room - (madeOf.get(one.webhookId)?.length ?? 0)
      return next && isBehind(next) ? { ...one, ...next, room } : []
    })
  }
}

const isBehind = ({ deliverUntil, last }: Pick<Room, "deliverUntil" | "last">) =>
  deliverUntil !== null && deliverUntil < last

/** One batch. It changes nothing for a webhook whose `deliverUntil` has moved since it was read. */
function makeNext(work: Work, rooms: readonly Room[]) {
  const times = deliveryTimes(work.now())
  const atOnce = Math.ceil(MADE_AT_ONCE / rooms.length)
  const rows = rooms.map((one) => ({ ...one, step: Math.min(one.room, atOnce) }))
  const x = jsonFields<(typeof rows)[number]>()
  const isUnmoved = sql`${webhooks.teamId} = ${x.teamId} and ${webhooks.id} = ${x.webhookId}
    and ${webhooks.enabled} = 1 and ${webhooks.deliverUntil} is ${x.deliverUntil}`
  const start = sql`min(ifnull(${x.deliverUntil}, ${eventSequences.last}), ${eventSequences.last})`
  const end = sql`(${start} + iif(${eventSequences.last} - ${start} <= ${x.step}, ${x.room}, ${x.step}))`
  return namedBatch(work.db, {
    made: makeLaterDeliveries(
      work,
      sql`${jsonRows(rows)} cross join webhooks on ${isUnmoved}
        cross join event_sequences on ${eventSequences.teamId} = ${webhooks.teamId}
        cross join events on ${events.teamId} = ${webhooks.teamId} and ${events.sequence} > ${start}
          and ${events.sequence} <= min(${end}, ${eventSequences.last})
        where ${events.webhookId} is null and ${isOneOf(events.type, webhooks.events)}`,
      times,
    ),
    moved: work.db.all<WebhookRef & { deliverUntil: number; last: number }>(sql`
      update webhooks set ${assignments(webhooks, { position: start, deliverUntil: end })}
      from ${jsonRows(rows)} cross join event_sequences on ${eventSequences.teamId} = ${x.teamId}
      where ${isUnmoved}
      returning team_id as "teamId", id as "webhookId", deliver_until as "deliverUntil", (
        select event_sequences.last from event_sequences
          where event_sequences.team_id = webhooks.team_id) as last`),
    hints: selectNewHints(work, JSON.stringify(rooms.map(({ teamId }) => teamId)), times),
  })
}

/** For webhooks whose step after a commit was lost, or whose pending deliveries all came to an end. */
export async function sweepWaitingEvents(work: Work): Promise<void> {
  const behind = await work.db.all<WebhookRef>(sql`
    select ${webhooks.teamId} as "teamId", ${webhooks.id} as "webhookId"
    from webhooks join event_sequences on ${eventSequences.teamId} = ${webhooks.teamId}
    where ${webhooks.enabled} = 1 and ${webhooks.deliverUntil} < ${eventSequences.last}
      and ${webhooks.teamId} not in (${FENCED_TEAMS})
      and ((${webhooks.restsUntil} is null and ${webhooks.failingSince} is null) or not exists (
        select 1 from deliveries where ${deliveries.webhookId} = ${webhooks.id}
          and ${deliveries.dueAt} is not null))
    order by random() limit +${SWEPT_AT_ONCE}`)
  await catchUp(work, behind)
}
