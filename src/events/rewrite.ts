import { sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import { jsonMembersOf, jsonRowChunks, membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import { firstIdAt } from "../lib/id.ts"
import { MADE_WITHIN_MS } from "./new-deliveries.ts"

interface Rewritten {
  id: string
  sequence: number
  createdAt: number
  data: object
}

/**
 * The statements that replace the data of events. Pending deliveries send the new data. The answers
 * of receivers are deleted: an answer may repeat the old data.
 */
export function rewriteEvents(work: Work, teamId: string, events: readonly Rewritten[]): Query[] {
  const rows = events.map((event) => ({
    ...event,
    teamId,
    since: firstIdAt("delivery", event.createdAt),
    until: firstIdAt("delivery", event.createdAt + MADE_WITHIN_MS),
  }))
  const x = membersOf<(typeof rows)[number]>()
  return jsonRowChunks(rows).flatMap((chunk) => [
    work.db.run(sql`
      update events set data = ${jsonMembersOf<Rewritten>().data} from ${chunk}
      where events.team_id = ${x.teamId} and events.sequence = ${x.sequence}`),
    work.db.run(sql`
      update deliveries set attempts = (
        select json_group_array(json_set(a.value, '$.responseExcerpt', null))
        from json_each(deliveries.attempts) a
      )
      where attempts <> '[]' and (team_id, webhook_id, id) in (
        select d.team_id, d.webhook_id, d.id from ${chunk}
        cross join webhooks w on w.team_id = ${teamId}
        cross join deliveries d on d.team_id = w.team_id and d.webhook_id = w.id
          and d.id >= ${x.since} and d.id < ${x.until} and d.event_id = ${x.id}
      )`),
  ])
}

interface Told {
  id: string
  sequence: number
  createdAt: number
  data: string
}

/** Some of the events of contacts with this address. */
export const selectContactEvents = (work: Work, teamId: string, email: string, limit: number) =>
  work.db.all<Told>(sql`
    select id, sequence, created_at as createdAt, data
    from events indexed by events_contact
    where team_id = ${teamId} and data ->> '$.contact.email' = ${email}
      and substr(type, 1, 8) = 'contact.' limit ${limit}`)
