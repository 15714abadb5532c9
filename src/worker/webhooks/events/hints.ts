import { type Placeholder, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { isResting } from "../deliveries/due.ts"
import type { WebhookRef } from "../messages.ts"
import type { Times } from "./new-deliveries.ts"
import { enqueueHints } from "./queue.ts"
import { deliveries, eventSequences, events, isNotDropped, webhooks } from "./table.ts"

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
      select ${webhooks.teamId} as "teamId", ${webhooks.id} as "webhookId",
        ${webhooks.restsUntil} as "restsUntil",
        exists (
          select 1 from deliveries where ${deliveries.webhookId} = ${webhooks.id}
            and ${deliveries.dueAt} = ${dueAt})
        and not exists (
          select 1 from deliveries where ${deliveries.webhookId} = ${webhooks.id}
            and ${deliveries.dueAt} > ${createdAt} and ${deliveries.dueAt} < ${dueAt}
            and ${deliveries.notBefore} <= ${createdAt} and ${isNotDropped}) as "needsMessage",
        ${webhooks.deliverUntil} is null or (${eventSequences.last} < ${webhooks.deliverUntil}
          and ${webhooks.position} + ${webhooks.deliverUntil} < 2 * (
            select max(${events.sequence}) from events
              where ${events.teamId} = ${eventSequences.teamId})) as "needsRoom"
      from event_sequences join webhooks on ${webhooks.teamId} = ${eventSequences.teamId}
      where ${isOneOf(eventSequences.teamId, sql`${teamIds}`)} and ${webhooks.enabled} = 1
    ) where "needsMessage" or "needsRoom"`)

/** After the commit of new deliveries. */
export const enqueueNewHints = (work: Work, rows: readonly NewHint[]): Promise<void> =>
  enqueueHints(
    work,
    rows
      .filter(({ needsMessage, restsUntil }) => needsMessage && !isResting(restsUntil, work.now()))
      .map((one) => ({ ...one, notBefore: work.now() })),
  )
