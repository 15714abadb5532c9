import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import type { ConsentEntry, ConsentSource, TopicChoices } from "./shapes.ts"
import { contacts } from "./table.ts"

/** The first entry and the newest ones stay: a link can be used any number of times. */
const MAX_ENTRIES = 200

/** Who changes consent. */
export interface ConsentActor {
  by: ConsentSource
  actorId: string | null
}

/** The caller of the API or of the dashboard. */
export async function consentActor(ctx: Ctx): Promise<ConsentActor> {
  const { key, session } = await ctx.caller()
  return session
    ? { by: "person", actorId: session.user.id }
    : { by: "key", actorId: key?.id ?? null }
}

export interface Consent {
  subscribed: boolean
  topics: TopicChoices
}

/** The entries of a change. A new contact has no `old` consent. */
export function consentEntries(
  at: number,
  actor: ConsentActor,
  old: Consent | undefined,
  { subscribed, topics }: Consent,
): ConsentEntry[] {
  const before = old?.topics ?? {}
  const changed = [...new Set([...Object.keys(before), ...Object.keys(topics)])].filter(
    (topicId) => before[topicId] !== topics[topicId],
  )
  return [
    ...(old?.subscribed === subscribed ? [] : [{ at, topicId: null, subscribed, ...actor }]),
    ...changed.map((topicId) => ({ at, topicId, subscribed: topics[topicId] ?? null, ...actor })),
  ]
}

/** The history of a contact with more entries, a list as JSON. */
export function withEntries(entries: readonly ConsentEntry[] | SQL): SQL {
  const added = Array.isArray(entries) ? sql`${JSON.stringify(entries)}` : entries
  return sql`(
  select json_group_array(json(entry.value)) from (
    select iif(${contacts.consents} = '[]', ${added},
      rtrim(${contacts.consents}, ']') || iif(${added} = '[]', ']', ',' || ltrim(${added}, '['))) as list
    limit -1
  ) history, json_each(history.list) entry
  where entry.key = 0 or entry.key > json_array_length(history.list) - ${MAX_ENTRIES})`
}

/** The history of a new contact: it takes over the choices `topics`, JSON, from other books. */
export const firstEntries = (
  at: number,
  actor: ConsentActor,
  subscribed: SQL,
  topics: SQL,
): SQL => {
  const entry = (topicId: SQL, value: SQL, { by, actorId }: ConsentActor) => sql`
    json_object('at', ${at}, 'topicId', ${topicId}, 'subscribed', json(iif(${value}, 'true', 'false')),
      'by', ${by}, 'actorId', ${actorId}) as entry`
  return sql`(
    select json_group_array(json(entry)) from (
      select ${entry(sql`null`, subscribed, actor)}
      union all
      select ${entry(sql`choice.key`, sql`choice.value`, OTHER_BOOK)} from json_each(${topics}) choice))`
}

export const OTHER_BOOK: ConsentActor = { by: "other-book", actorId: null }
