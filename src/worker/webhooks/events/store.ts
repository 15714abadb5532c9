import { type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import { jsonChunks } from "../../../lib/json.ts"
import type { Work } from "../../platform/context.ts"
import { assignments, columnsOf, insertInto, resultColumns } from "../../platform/db/columns.ts"
import type { Statement } from "../../platform/db/commit.ts"
import { isOneOf, jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { hasRoomFor, thenEnqueueHints } from "./catch-up.ts"
import { selectNewHints } from "./hints.ts"
import { deliveryTimes, makeDeliveries, type Times } from "./new-deliveries.ts"
import { eventSequences, events, webhooks } from "./table.ts"
import type { EventType } from "./types.ts"

/** An event for a team's webhooks. */
export interface TeamEvent {
  /** `evt_`; the same occurrence always has the same id. */
  id: string
  teamId: string
  type: EventType
  createdAt: number
  /** The `data` of the payload: a record of the REST API under its noun. */
  data: Record<string, unknown>
  /** The only webhook that receives it, whatever the webhook subscribes to. */
  webhookId?: string
}

/** An event that happens now. */
export const newEvent = (
  work: Work,
  teamId: string,
  type: EventType,
  data: TeamEvent["data"],
): TeamEvent => ({ id: newId("event", work.now()), teamId, type, createdAt: work.now(), data })

/**
 * For `commit`, before the statements that make the change: stores events and makes their
 * deliveries, if `condition` holds.
 */
export const storeEvents = (
  work: Work,
  happened: readonly TeamEvent[],
  condition?: SQL,
): Statement[] =>
  jsonChunks(happened).flatMap((chunk) =>
    Object.values(
      storeEventsFrom(work, selectListed(jsonRows(chunk), condition), {
        teamIds: teamsOf(happened),
        ...deliveryTimes(work.now()),
      }),
    ),
  )

/** JSON: the teams of these rows. */
export const teamsOf = (rows: readonly { teamId: string }[]): string =>
  JSON.stringify([...new Set(rows.map(({ teamId }) => teamId))])

/** `position` is the order of the events of a statement. */
type Listed = "team_id" | "id" | "type" | "created_at" | "data" | "webhook_id" | "position"
const x = columnsOf<Listed>("x")

/** Selects events as `storeEventsFrom` reads them. */
export const selectEvents = (columns: Record<Listed, SQLWrapper>, from: SQL) =>
  sql`select ${resultColumns(columns)} ${from}`

const listed = jsonFields<TeamEvent>()
const selectListed = (rows: SQL, condition = sql`true`) =>
  selectEvents(
    {
      team_id: listed.teamId,
      id: listed.id,
      type: listed.type,
      created_at: listed.createdAt,
      data: jsonFields<TeamEvent>("x", "->").data,
      webhook_id: listed.webhookId,
      position: sql`x.key`,
    },
    sql`from ${rows} where ${condition}`,
  )

/**
 * The same for events that a query finds: `source` is a `selectEvents`. Sequences have no gaps:
 * events take the numbers after the team's last one, deliveries are made for the events above that
 * number, and then the number moves.
 */
export function storeEventsFrom(
  { db }: Pick<Work, "db">,
  source: SQL,
  { teamIds, ...times }: Times & { teamIds: string | Placeholder },
) {
  const isTheirs = isOneOf(eventSequences.teamId, sql`${teamIds}`)
  return {
    events: db.run(sql`
      ${insertInto(
        events,
        {
          teamId: x.team_id,
          sequence: sql`${eventSequences.last} + row_number() over (partition by ${x.team_id}
            order by ${x.position})`,
          id: x.id,
          type: x.type,
          data: x.data,
          webhookId: x.webhook_id,
          createdAt: x.created_at,
        },
        sql`from (${source}) x join event_sequences on ${eventSequences.teamId} = ${x.team_id}
          where ${hasWebhooks(x.team_id)} and not exists (
            select 1 from events where ${events.teamId} = ${x.team_id} and ${events.id} = ${x.id})`,
      )}`),
    deliveries: makeDeliveries(
      { db },
      sql`event_sequences
        join events on ${events.teamId} = ${eventSequences.teamId}
          and ${events.sequence} > ${eventSequences.last}
        join webhooks on ${webhooks.teamId} = ${events.teamId} and iif(${events.webhookId} is null,
          ${isOneOf(events.type, webhooks.events)}
            and ${hasRoomFor(events.sequence)}, ${webhooks.id} = ${events.webhookId})
      where ${isTheirs}`,
      times,
    ),
    hints: thenEnqueueHints(selectNewHints({ db }, teamIds, times)),
    sequences: db.run(sql`
      update event_sequences
      set ${assignments(eventSequences, {
        last: sql`(select max(${events.sequence}) from events
          where ${events.teamId} = ${eventSequences.teamId})`,
      })}
      where ${isTheirs}
        and exists (select 1 from events where ${events.teamId} = ${eventSequences.teamId}
        and ${events.sequence} > ${eventSequences.last})`),
  }
}

/** A condition: nothing is stored for a team without webhooks. */
export const hasWebhooks = (teamId: SQL) =>
  sql`exists (select 1 from webhooks where ${webhooks.teamId} = ${teamId})`
