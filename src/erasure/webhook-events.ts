import { sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import { MADE_WITHIN_MS } from "../events/new-deliveries.ts"
import { firstIdAt } from "../lib/id.ts"
import { jsonChunks } from "../lib/json.ts"

interface Rewritten {
  id: string
  sequence: number
  createdAt: number
  data: object
}

/**
 * The statements that put other data in an event's place, which pending deliveries go on with. What
 * receivers answered to it is dropped: an answer may repeat what it was sent.
 */
export function rewriteEvents(work: Work, teamId: string, events: readonly Rewritten[]): Query[] {
  const rows = events.map((event) => ({
    ...event,
    teamId,
    since: firstIdAt("delivery", event.createdAt),
    until: firstIdAt("delivery", event.createdAt + MADE_WITHIN_MS),
  }))
  return jsonChunks(rows).flatMap((chunk) => [
    work.db.run(sql`
      update events set data = x.value -> 'data' from json_each(${chunk}) x
      where events.team_id = x.value ->> 'teamId' and events.sequence = x.value ->> 'sequence'`),
    work.db.run(sql`
      update deliveries set attempts = (
        select json_group_array(json_set(a.value, '$.responseExcerpt', null))
        from json_each(deliveries.attempts) a
      )
      where attempts <> '[]' and (team_id, webhook_id, id) in (
        select d.team_id, d.webhook_id, d.id from json_each(${chunk}) x
        cross join webhooks w on w.team_id = ${teamId}
        cross join deliveries d on d.team_id = w.team_id and d.webhook_id = w.id
          and d.id >= x.value ->> 'since' and d.id < x.value ->> 'until'
          and d.event_id = x.value ->> 'id'
      )`),
  ])
}

interface Told {
  id: string
  sequence: number
  createdAt: number
  data: string
}

/** Some of what was told of contacts with this address. */
export const selectContactEvents = (work: Work, teamId: string, email: string, limit: number) =>
  work.db.all<Told>(sql`
    select id, sequence, created_at as createdAt, data
    from events indexed by events_contact
    where team_id = ${teamId} and data ->> '$.contact.email' = ${email}
      and substr(type, 1, 8) = 'contact.' limit ${limit}`)
