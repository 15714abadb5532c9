import { and, asc, eq, gt, lte, type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import type { TeamId, Work } from "../../platform/context.ts"
import { invalid } from "../../platform/http/errors.ts"
import type { TopicChanges, TopicChoices } from "../shapes.ts"
import { contacts, hasChoices } from "../table.ts"

/** The choices that an address has made in the books of the team. */
interface Choices {
  topics: TopicChoices
  /** A condition: none of them has changed since. */
  areAsRead: SQL
}

const isChooser = (team: TeamId, email: string) =>
  and(eq(contacts.teamId, team), eq(contacts.email, email), hasChoices)

/** Moves with each change of one of the contacts. */
const version = sql<number>`coalesce(sum(${contacts.updatedAt}), 0)`

export const selectChoices = ({ db }: Work, team: TeamId, email: string) =>
  db
    .select({ lists: sql<string>`json_group_array(json(${contacts.topics}))`, version })
    .from(contacts)
    .where(isChooser(team, email))

export function toChoices(
  { db }: Work,
  team: string,
  email: string,
  read: { lists: string; version: number } = { lists: "[]", version: 0 },
): Choices {
  const now = db.select({ version }).from(contacts).where(isChooser(team, email))
  return { topics: strictest(JSON.parse(read.lists)), areAsRead: sql`(${now}) = ${read.version}` }
}

/** Without an address: no choices. */
export async function readChoices(
  work: Work,
  team: string,
  email: string | undefined,
): Promise<Choices> {
  if (email === undefined) return { topics: {}, areAsRead: sql`true` }
  const [read] = await selectChoices(work, team, email)
  return toChoices(work, team, email, read)
}

/** Where the books differ, the "no" stands. */
export function strictest(lists: readonly TopicChoices[]): TopicChoices {
  const choices: TopicChoices = {}
  for (const [id, choice] of lists.flatMap((list) => Object.entries(list))) {
    choices[id] = choice && (choices[id] ?? true)
  }
  return choices
}

/** The contacts of the same address, beside the contacts that a statement changes. */
const namesake = alias(contacts, "namesake")

/** The same in SQL, for statements with many addresses. JSON. */
export const choicesOf = (teamId: string, email: SQL): SQL => sql`(
  select json_group_object(key, json(iif(choice, 'true', 'false'))) from (
    select list.key as key, min(list.value) as choice
    from contacts namesake, json_each(${namesake.topics}) list
    where ${namesake.teamId} = ${teamId} and ${namesake.email} = ${email} and ${namesake.topics} <> '{}'
    group by list.key))`

/** `strictest` of two lists, in SQL. JSON. */
export const strictestOf = (some: SQL, others: SQL): SQL => sql`(
  select json_group_object(key, json(iif(choice, 'true', 'false'))) from (
    select key, min(value) as choice from (
      select key, value from json_each(${some}) union all select key, value from json_each(${others}))
    group by key))`

export const mergeChoices = (choices: TopicChoices, changes: TopicChanges): TopicChoices =>
  Object.fromEntries(
    Object.entries({ ...choices, ...changes }).filter(
      (entry): entry is [string, boolean] => entry[1] !== null,
    ),
  )

export function refuseUnknown(ids: readonly string[], known: readonly { id: string }[]): void {
  const unknown = ids.find((id) => !known.some((topic) => topic.id === id))
  if (unknown !== undefined) throw invalid(["topics", unknown], "Topic not found")
}

/** The contact `count` places after an address, among those with choices. */
export const selectChooser = ({ db }: Work, teamId: string, after: string, count: number) =>
  db
    .select({ email: contacts.email })
    .from(contacts)
    .where(and(eq(contacts.teamId, teamId), hasChoices, gt(contacts.email, after)))
    .orderBy(asc(contacts.email))
    .limit(1)
    .offset(count - 1)

interface Cleared {
  teamId: string
  topicId: string
  after: string
  /** The last address; absent for all that follow. */
  to: string | undefined
}

/** Takes the choices of a topic from the contacts of a range of addresses. Fires no events. */
export const clearChoices = (work: Work, { teamId, topicId, after, to }: Cleared) =>
  work.db
    .update(contacts)
    .set({
      topics: sql`json_remove(${contacts.topics}, ${`$."${topicId}"`})`,
      updatedAt: sql`max(${work.now()}, ${contacts.updatedAt} + 1)`,
    })
    .where(
      and(
        eq(contacts.teamId, teamId),
        hasChoices,
        gt(contacts.email, after),
        to === undefined ? undefined : lte(contacts.email, to),
        sql`${contacts.topics} ->> ${topicId} is not null`,
      ),
    )
