import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import { firstIdAt } from "../lib/id.ts"
import { jsonChunks } from "../lib/json.ts"
import { makeDeliveries, type NewDelivery } from "./new-deliveries.ts"
import { enqueueDeliveries } from "./queue.ts"
import type { EventType } from "./types.ts"

/** Something that a team's webhooks may be told of. */
export interface TeamEvent {
  /** `evt_`; the same happening always has the same id. */
  id: string
  teamId: string
  type: EventType
  createdAt: number
  /** As it stands in the payload: a record of the REST API under its noun. */
  data: Record<string, unknown>
  /** The only webhook that is told, whatever it subscribes to. */
  webhookId?: string
}

/**
 * The statements that store events with the deliveries they cause, if `condition` holds: part of
 * the batch that makes the change.
 */
export function storeEvents(work: Work, events: readonly TeamEvent[], condition?: SQL): Query[] {
  const teams = events.map(({ teamId }) => teamId)
  return jsonChunks(events).flatMap((chunk) =>
    storeEventsFrom(work, teams, selectListed(chunk, condition)),
  )
}

/** One event; the second statement answers with its deliveries. */
export const storeEvent = (work: Work, event: TeamEvent, condition?: SQL) =>
  storeEventsFrom(work, [event.teamId], selectListed(JSON.stringify([event]), condition))

const selectListed = (events: string, condition = sql`true`) => sql`
  select value ->> 'teamId' as team_id, value ->> 'id' as id, value ->> 'type' as type,
    value ->> 'createdAt' as created_at, value -> 'data' as data,
    value ->> 'webhookId' as webhook_id, key as position
  from json_each(${events}) where ${condition}`

/** After the commit: hands what `storeEvents` wrote to the queue. */
export async function announceEvents(work: Work, events: readonly TeamEvent[]): Promise<void> {
  if (events.length === 0) return
  const asked = events.map(({ teamId, id, createdAt }) => ({
    teamId,
    id,
    since: firstIdAt("delivery", createdAt),
  }))
  await enqueueDeliveries(
    work,
    await work.db.all<NewDelivery>(sql`
      select d.team_id as teamId, d.webhook_id as webhookId, d.id, d.not_before as notBefore
      from json_each(${JSON.stringify(asked)}) x
      cross join webhooks w on w.team_id = x.value ->> 'teamId' and w.probe_at is null
      cross join deliveries d on d.team_id = w.team_id and d.webhook_id = w.id
        and d.id >= x.value ->> 'since' and d.event_id = x.value ->> 'id'
      where d.state = 'pending'`),
  )
}

/**
 * The same for events that a query finds: `source` selects `team_id, id, type, created_at, data,
 * webhook_id, position`. The second statement answers with the deliveries it made.
 *
 * Sequences have no gaps: events take the numbers after the team's last one, deliveries are made
 * of what lies above it, and then it moves.
 */
export function storeEventsFrom(work: Work, teamIds: readonly string[], source: SQL) {
  const teams = sql`(select value from json_each(${JSON.stringify([...new Set(teamIds)])}))`
  return [
    work.db.run(sql`
      insert into events (team_id, sequence, id, type, data, webhook_id, created_at)
      select x.team_id, s.last + row_number() over (partition by x.team_id order by x.position),
        x.id, x.type, x.data, x.webhook_id, x.created_at
      from (${source}) x join event_sequences s on s.team_id = x.team_id
      where ${hasWebhooks(sql`x.team_id`)}
        and not exists (select 1 from events known where known.team_id = x.team_id and known.id = x.id)`),
    makeDeliveries(
      work,
      sql`event_sequences s
        join events e on e.team_id = s.team_id and e.sequence > s.last
        join webhooks w on w.team_id = e.team_id and iif(e.webhook_id is null,
          e.type in (select value from json_each(w.events)), w.id = e.webhook_id)
      where s.team_id in ${teams}`,
    ),
    work.db.run(sql`
      update event_sequences as s
      set last = (select max(sequence) from events e where e.team_id = s.team_id)
      where team_id in ${teams}
        and exists (select 1 from events e where e.team_id = s.team_id and e.sequence > s.last)`),
  ] as const
}

/** A condition: of a team without webhooks nothing is stored. */
export const hasWebhooks = (teamId: SQL) =>
  sql`exists (select 1 from webhooks w where w.team_id = ${teamId})`
