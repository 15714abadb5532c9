import { sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import { jsonChunks } from "../../../lib/json.ts"
import type { Work } from "../../platform/context.ts"
import { assignments } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { MADE_WITHIN_MS } from "./new-deliveries.ts"
import { DELIVERY_KEY, deliveries, events, webhooks } from "./table.ts"

interface Rewritten {
  id: string
  sequence: number
  createdAt: number
  before: string
  data: object
}

/**
 * The statements that replace the data of events. Pending deliveries send the new data. The answers
 * of receivers are deleted: an answer may repeat the old data. An event that changed since it was
 * read stays as it is; the answers of `events` have the others.
 */
export function rewriteEvents(work: Work, teamId: string, rewritten: readonly Rewritten[]) {
  const rows = rewritten.map((event) => ({
    ...event,
    teamId,
    since: firstIdAt("delivery", event.createdAt),
    until: firstIdAt("delivery", event.createdAt + MADE_WITHIN_MS),
  }))
  const x = jsonFields<(typeof rows)[number]>()
  const own = sql`${deliveries.id} >= ${x.since} and ${deliveries.id} < ${x.until}
    and ${deliveries.eventId} = ${x.id}`
  const repeated = sql`${deliveries.repeats} = 1 and ${deliveries.sequence} = ${x.sequence}`
  const chunks = jsonChunks(rows)
  const rewrites = chunks.map((chunk) =>
    work.db.all(sql`
      update events set ${assignments(events, { data: jsonFields<Rewritten>("x", "->").data })}
      from ${jsonRows(chunk)}
      where ${events.teamId} = ${x.teamId} and ${events.sequence} = ${x.sequence}
        and ${events.data} = ${x.before}
      returning ${events.sequence}`),
  )
  // A statement each: SQLite uses no index for several columns in a union.
  const receiverAnswers = chunks.flatMap((chunk) =>
    [own, repeated].map((isOfEvent) =>
      work.db
        .update(deliveries)
        .set({
          attempts: sql`(
            select json_group_array(json_set(a.value, '$.responseExcerpt', null))
            from json_each(${deliveries.attempts}) a)`,
        })
        .where(
          sql`${deliveries.attempts} <> '[]'
            and ${DELIVERY_KEY} in (
              select ${deliveries.teamId}, ${deliveries.webhookId}, ${deliveries.id} from ${jsonRows(chunk)}
              cross join webhooks on ${webhooks.teamId} = ${teamId}
              cross join deliveries on ${deliveries.teamId} = ${webhooks.teamId}
                and ${deliveries.webhookId} = ${webhooks.id}
                and ${isOfEvent})`,
        ),
    ),
  )
  return { events: rewrites, receiverAnswers }
}

interface ContactEvent {
  id: string
  sequence: number
  createdAt: number
  data: string
}

/** Some of the events of contacts with this address. */
export const selectContactEvents = (work: Work, teamId: string, email: string, limit: number) =>
  work.db.all<ContactEvent>(sql`
    select ${events.id}, ${events.sequence}, ${events.createdAt} as createdAt,
      ${events.data}
    from events indexed by events_contact
    where ${events.teamId} = ${teamId} and ${events.data} ->> '$.contact.email' = ${email}
      and substr(${events.type}, 1, 8) = 'contact.' limit +${limit}`)
