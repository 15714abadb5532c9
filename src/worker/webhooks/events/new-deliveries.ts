import { type Placeholder, type SQL, sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import type { Work } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import { insertInto, resultColumns } from "../../platform/db/columns.ts"
import { afterCommit, type WithAfterCommit } from "../../platform/db/commit.ts"
import { PICKED_UP_WITHIN_MS } from "../../platform/queues/due-work.ts"
import type { DeliveryRef } from "../messages.ts"
import { enqueueDeliveries } from "./queue.ts"
import { deliveries, e, w } from "./table.ts"

interface NewDelivery extends DeliveryRef {
  sequence: number
  notBefore: number
}
const { teamId, webhookId, id, sequence, notBefore } = deliveries
/** The columns of a `NewDelivery`, for RETURNING. */
const newDeliveryColumns = resultColumns({ teamId, webhookId, id, sequence, notBefore })

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

type Times = { [Name in keyof DeliveryTimes]: DeliveryTimes[Name] | Placeholder }

interface Made extends NewDelivery {
  /** When a held webhook is probed next. */
  probeAt: number | null
}

/** Messages for these deliveries are queued after the commit. A probe takes those of a held webhook. */
export const thenEnqueueDeliveries = <Q extends Query & { _: { result: Made[] } }>(
  query: Q,
): WithAfterCommit<Q> =>
  afterCommit(query, (work, made: readonly Made[]) =>
    enqueueDeliveries(
      work,
      made.filter(({ probeAt }) => probeAt === null),
    ),
  )

/** A statement that makes deliveries of events `e` for webhooks `w`; `from` joins both and ends in a condition. */
export const makeDeliveries = ({ db }: Pick<Work, "db">, from: SQL, times: Times) =>
  make(db, from, times, { repeats: null })

/** The same for events that were stored before, for `commit`. `page` may order and limit them. */
export const makeRepeats = (work: Work, from: SQL, page = sql``) =>
  thenEnqueueDeliveries(make(work.db, from, deliveryTimes(work.now()), { repeats: 1, page }))

function make(
  db: Work["db"],
  from: SQL,
  { createdAt, dueAt, idPrefix }: Times,
  { repeats, page = sql`` }: { repeats: 1 | null; page?: SQL },
) {
  return db.all<Made>(sql`
    ${insertInto(
      deliveries,
      {
        teamId: w.teamId,
        webhookId: w.id,
        id: newIds(idPrefix),
        sequence: e.sequence,
        eventId: e.id,
        eventType: e.type,
        notBefore: createdAt,
        dueAt,
        createdAt: sql`max(${createdAt}, ${w.droppedAt} + 1)`,
        repeats,
      },
      sql`from ${from} and ${w.enabled} = 1 ${page}`,
    )}
    returning ${newDeliveryColumns}, (
      select ${w.probeAt} from webhooks w
      where ${w.teamId} = ${deliveries.teamId} and ${w.id} = ${deliveries.webhookId}) as "probeAt"`)
}

/** Ids that the database makes: the time, the order within the statement, 48 random bits. */
const newIds = (prefix: string | Placeholder) =>
  sql`${prefix} || printf('%04X', row_number() over (order by ${e.sequence}, ${w.id})) || hex(randomblob(6))`
