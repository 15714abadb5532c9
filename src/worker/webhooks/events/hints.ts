import { type Placeholder, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { isResting } from "../deliveries/due.ts"
import type { WebhookRef } from "../messages.ts"
import type { Times } from "./new-deliveries.ts"
import { enqueueHints } from "./queue.ts"
import { d, e, isNotDropped, s, w } from "./table.ts"

/** A webhook with new deliveries, or with events that wait for room. */
export interface NewHint extends WebhookRef {
  restsUntil: number | null
  /** No message leads to the new deliveries yet. */
  needsMessage: number
  needsRoom: number
}

/**
 * The webhooks of these teams that need a message or room. An older delivery that is due by now has
 * caused a message, and its consumer will find the new ones. `teamIds` is a JSON list. The team's
 * last sequence has not moved yet.
 */
export const selectNewHints = (
  { db }: Pick<Work, "db">,
  teamIds: string | Placeholder,
  { createdAt, dueAt }: Times,
) =>
  db.all<NewHint>(sql`
    select * from (
      select ${w.teamId} as "teamId", ${w.id} as "webhookId", ${w.restsUntil} as "restsUntil",
        exists (
          select 1 from deliveries d where ${d.webhookId} = ${w.id} and ${d.dueAt} = ${dueAt})
        and not exists (
          select 1 from deliveries d where ${d.webhookId} = ${w.id}
            and ${d.dueAt} > ${createdAt} and ${d.dueAt} < ${dueAt}
            and ${d.notBefore} <= ${createdAt} and ${isNotDropped}) as "needsMessage",
        ${w.deliverUntil} is null or (${s.last} < ${w.deliverUntil}
          and ${w.position} + ${w.deliverUntil} < 2 * (
            select max(${e.sequence}) from events e where ${e.teamId} = ${s.teamId})) as "needsRoom"
      from event_sequences s join webhooks w on ${w.teamId} = ${s.teamId}
      where ${isOneOf(s.teamId, sql`${teamIds}`)} and ${w.enabled} = 1
    ) where "needsMessage" or "needsRoom"`)

/** After the commit of new deliveries. */
export const enqueueNewHints = (work: Work, rows: readonly NewHint[]): Promise<void> =>
  enqueueHints(
    work,
    rows
      .filter(({ needsMessage, restsUntil }) => needsMessage && !isResting(restsUntil, work.now()))
      .map((one) => ({ ...one, notBefore: work.now() })),
  )
