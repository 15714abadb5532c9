import { type Placeholder, type SQL, sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import type { Work } from "../../platform/context.ts"
import { insertInto, resultColumns } from "../../platform/db/columns.ts"
import { PICKED_UP_WITHIN_MS } from "../../platform/queues/due-work.ts"
import type { WebhookRef } from "../messages.ts"
import { deliveries, events, webhooks } from "./table.ts"

/** Deliveries are made in the batch that stores their event. Their times differ by less than this. */
export const MADE_WITHIN_MS = 1_000

/** The time when deliveries are made, in the forms that their rows need. */
export interface DeliveryTimes {
  createdAt: number
  dueAt: number
  /** The beginning of all ids of that time. */
  idPrefix: string
}

export const deliveryTimes = (now: number): DeliveryTimes => ({
  createdAt: now,
  dueAt: now + PICKED_UP_WITHIN_MS,
  idPrefix: firstIdAt("delivery", now).slice(0, -16),
})

export type Times = { [Name in keyof DeliveryTimes]: DeliveryTimes[Name] | Placeholder }

/** A statement that makes deliveries of events for webhooks; `from` joins both and ends in a condition. */
export const makeDeliveries = ({ db }: Pick<Work, "db">, from: SQL, times: Times) =>
  db.run(insertDeliveries(from, times, { repeats: null }))

/** The same for events that were stored before. `page` may order and limit them. */
export const makeLaterDeliveries = (
  { db }: Pick<Work, "db">,
  from: SQL,
  times: Times,
  page?: SQL,
) =>
  db.all<LaterDelivery>(sql`
    ${insertDeliveries(from, times, { repeats: 1, page })}
    returning ${resultColumns({ teamId, webhookId, id, sequence })}`)

interface LaterDelivery extends WebhookRef {
  id: string
  sequence: number
}
const { teamId, webhookId, id, sequence } = deliveries

const insertDeliveries = (
  from: SQL,
  { createdAt, dueAt, idPrefix }: Times,
  { repeats, page = sql`` }: { repeats: 1 | null; page?: SQL | undefined },
) =>
  insertInto(
    deliveries,
    {
      teamId: webhooks.teamId,
      webhookId: webhooks.id,
      id: newIds(idPrefix),
      sequence: events.sequence,
      eventId: events.id,
      eventType: events.type,
      notBefore: createdAt,
      dueAt,
      createdAt: sql`max(${createdAt}, ${webhooks.droppedAt} + 1)`,
      repeats,
    },
    sql`from ${from} and ${webhooks.enabled} = 1 ${page}`,
  )

/** Ids that the database makes: the time, the order within the statement, 48 random bits. */
const newIds = (prefix: string | Placeholder) =>
  sql`${prefix} || printf('%04X', row_number() over (order by ${events.sequence},
    ${webhooks.id})) || hex(randomblob(6))`
