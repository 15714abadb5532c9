import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import type { ConsentEntry, ConsentSource, TopicChoices } from "../shapes.ts"
import { contacts } from "../table.ts"

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

/**
 * The history of a new contact: it chooses its `own` topics, JSON, and takes over the rest of `all`
 * from other books.
 */
export const firstEntries = (
  at: number,
  actor: ConsentActor,
  subscribed: SQL,
  { all, own }: { all: SQL; own: SQL },
): SQL => sql`(
  select json_group_array(json(entry)) from (
    select ${entryOf(at, actor, sql`null`, subscribed)} as entry
    union all
    select iif(${own} ->> choice.key is null,
      ${entryOf(at, OTHER_BOOK, sql`choice.key`, sql`choice.value`)},
      ${entryOf(at, actor, sql`choice.key`, sql`choice.value`)}) from json_each(${all}) choice))`

/** The entries of a contact that `leaves` its book, and whose choices of topics change. */
export const changeEntries = (
  at: number,
  actor: ConsentActor,
  leaves: SQL,
  { from, to }: { from: SQL; to: SQL },
): SQL => sql`(
  select json_group_array(json(entry)) from (
    select ${entryOf(at, actor, sql`null`, sql`false`)} as entry where ${leaves}
    union all
    select ${entryOf(at, actor, sql`choice.key`, sql`choice.value`)} from json_each(${to}) choice
    where ${from} ->> choice.key is not choice.value))`

const entryOf = (at: number, { by, actorId }: ConsentActor, topicId: SQL, value: SQL) => sql`
  json_object('at', ${at}, 'topicId', ${topicId}, 'subscribed', json(iif(${value}, 'true', 'false')),
    'by', ${by}, 'actorId', ${actorId})`

export const OTHER_BOOK: ConsentActor = { by: "other-book", actorId: null }
