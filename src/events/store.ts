import { type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import { jsonMembersOf, jsonRowChunks, jsonRows, membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import { firstIdAt } from "../lib/id.ts"
import { deliveryTimes, makeDeliveries, type NewDelivery } from "./new-deliveries.ts"
import { enqueueDeliveries } from "./queue.ts"
import type { EventType } from "./types.ts"

/** An event for a team's webhooks. */
export interface TeamEvent {
  /** `evt_`; the same occurrence always has the same id. */
  id: string
  teamId: string
  type: EventType
  createdAt: number
  /** As it stands in the payload: a record of the REST API under its noun. */
  data: Record<string, unknown>
  /** The only webhook that receives it, whatever the webhook subscribes to. */
  webhookId?: string
}

/**
 * The statements that store events and make their deliveries, if `condition` holds: part of the
 * batch that makes the change.
 */
export function storeEvents(work: Work, events: readonly TeamEvent[], condition?: SQL): Query[] {
  const teams = events.map(({ teamId }) => teamId)
  return jsonRowChunks(events).flatMap((rows) =>
    storeEventsFrom(work, teams, selectListed(rows, condition)),
  )
}

/** One event; the second statement answers with its deliveries. */
export const storeEvent = (work: Work, event: TeamEvent, condition?: SQL) =>
  storeEventsFrom(work, [event.teamId], selectListed(jsonRows([event]), condition))

const listed = membersOf<TeamEvent>()
const selectListed = (rows: SQL, condition = sql`true`) => sql`
  select ${listed.teamId} as team_id, ${listed.id} as id, ${listed.type} as type,
    ${listed.createdAt} as created_at, ${jsonMembersOf<TeamEvent>().data} as data,
    ${listed.webhookId} as webhook_id, x.key as position
  from ${rows} where ${condition}`

/** After the commit of `storeEvents`: queues the deliveries. */
export async function announceEvents(work: Work, events: readonly TeamEvent[]): Promise<void> {
  if (events.length === 0) return
  const asked = events.map(({ teamId, id, createdAt }) => ({
    teamId,
    id,
    since: firstIdAt("delivery", createdAt),
  }))
  const x = membersOf<(typeof asked)[number]>()
  await enqueueDeliveries(
    work,
    await work.db.all<NewDelivery>(sql`
      select d.team_id as teamId, d.webhook_id as webhookId, d.id, d.not_before as notBefore
      from ${jsonRows(asked)}
      cross join webhooks w on w.team_id = ${x.teamId} and w.probe_at is null
      cross join deliveries d on d.team_id = w.team_id and d.webhook_id = w.id
        and d.id >= ${x.since} and d.event_id = ${x.id}
      where d.state = 'pending'`),
  )
}

/**
 * The same for events that a query finds: `source` selects `team_id, id, type, created_at, data,
 * webhook_id, position`. The second statement answers with the deliveries it made.
 *
 * Sequences have no gaps: events take the numbers after the team's last one, deliveries are made
 * for the events above that number, and then the number moves.
 */
export const storeEventsFrom = (work: Work, teamIds: readonly string[], source: SQL) =>
  storeEventsAt(work, source, JSON.stringify([...new Set(teamIds)]), deliveryTimes(work.now()))

/** `teamIds` is a JSON list. */
export function storeEventsAt(
  { db }: Pick<Work, "db">,
  source: SQL,
  teamIds: string | Placeholder,
  times: Parameters<typeof makeDeliveries>[2],
) {
  const teams = sql`(select value from json_each(${teamIds}))`
  return [
    db.run(sql`
      insert into events (team_id, sequence, id, type, data, webhook_id, created_at)
      select x.team_id, s.last + row_number() over (partition by x.team_id order by x.position),
        x.id, x.type, x.data, x.webhook_id, x.created_at
      from (${source}) x join event_sequences s on s.team_id = x.team_id
      where ${hasWebhooks(sql`x.team_id`)}
        and not exists (select 1 from events known where known.team_id = x.team_id and known.id = x.id)`),
    makeDeliveries(
      { db },
      sql`event_sequences s
        join events e on e.team_id = s.team_id and e.sequence > s.last
        join webhooks w on w.team_id = e.team_id and iif(e.webhook_id is null,
          e.type in (select value from json_each(w.events)), w.id = e.webhook_id)
      where s.team_id in ${teams}`,
      times,
    ),
    db.run(sql`
      update event_sequences as s
      set last = (select max(sequence) from events e where e.team_id = s.team_id)
      where team_id in ${teams}
        and exists (select 1 from events e where e.team_id = s.team_id and e.sequence > s.last)`),
  ] as const
}

/** A condition: nothing is stored for a team without webhooks. */
export const hasWebhooks = (teamId: SQL) =>
  sql`exists (select 1 from webhooks w where w.team_id = ${teamId})`
