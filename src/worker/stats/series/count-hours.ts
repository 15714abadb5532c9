import { type Column, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import {
  assignments,
  columnsOf,
  excluded,
  insertInto,
  resultColumns,
} from "../../platform/db/columns.ts"
import { first, firstsOf } from "../counters.ts"
import { mailboxOf, timeStepOf } from "../delivery/mailboxes.ts"
import { statsHours } from "../table.ts"

/** The counts of a row and of a tag's list, in the order of the list. */
export const HOUR_COUNTS = [
  "sent",
  "delivered",
  "hard",
  "soft",
  "complained",
  "failed",
  "opened",
  "clicked",
  "delayed",
] as const
type HourCount = (typeof HOUR_COUNTS)[number]

/** A row is written again with each event, so the tags of an hour are bounded. */
export const MAX_TAGS = 100

/** Which events a count counts. */
export const countedIn = (
  { type, is_hard }: Record<"type" | "is_hard", SQLWrapper>,
  count: HourCount,
): SQL => {
  if (count === "hard") return sql`(${type} = 'bounced' and ${is_hard})`
  if (count === "soft") return sql`(${type} = 'bounced' and not ${is_hard})`
  return sql`${type} = ${sql.raw(`'${count}'`)}`
}

/**
 * A tag with an address is counted from its emails, where an erasure finds the address. Encoded once
 * more, `%40` is `%2540`.
 */
export const isCountable = (tag: string) => !/@|%40/.test(tag.replaceAll("25", ""))

/** The same in SQL. */
const isCountableTag = (tag: SQL) =>
  sql`(instr(${tag}, '@') = 0 and instr(replace(${tag}, '25', ''), '%40') = 0)`

const KEY = {
  team_id: first.team_id,
  hour: first.hour,
  domain_id: first.domain_id,
  template_id: sql`coalesce(${first.template_id}, '')`,
  campaign_id: sql`coalesce(${first.campaign_id}, '')`,
}
const keys = sql.raw(Object.keys(KEY).join(", "))
const tag = sql`t.key || ':' || t.value`
const listOf = (value: (index: number) => SQL) =>
  sql`json_array(${sql.join(
    HOUR_COUNTS.map((_, index) => value(index)),
    sql`, `,
  )})`
const sums = HOUR_COUNTS.map((count) => sql`sum(${countedIn(first, count)})`)
const added = columnsOf<keyof typeof KEY | "part" | "name" | "list" | HourCount>("added")

/** A row counts all emails, and these parts of them by name. */
const PARTS = { all: sql`0`, tags: sql`1`, mailboxes: sql`2`, deliveryTimes: sql`3` }
const mailbox = mailboxOf(first.recipient)
const countIn = (index: number) => sql`${added.list} ->> ${sql.raw(String(index))}`
const listsOf = (part: SQL) => sql`json_group_object(${added.name}, json(${added.list}))
  filter (where ${added.part} = ${part} and place <= ${sql.raw(String(MAX_TAGS))})`

/**
 * Adds the new events to the counts of their hours. Each email counts once for each type of event.
 * Any number of filters is answered from the one row that an event adds to.
 */
export const countHours = (newEvents: SQL) => sql`
  ${insertInto(
    statsHours,
    {
      teamId: added.team_id,
      hour: added.hour,
      domainId: added.domain_id,
      templateId: added.template_id,
      campaignId: added.campaign_id,
      ...mapCounts((_, index) => sql`max(iif(${added.part} = ${PARTS.all}, ${countIn(index)}, 0))`),
      tags: listsOf(PARTS.tags),
      mailboxes: listsOf(PARTS.mailboxes),
      deliveryTimes: sql`json_group_object(${added.name}, ${countIn(HOUR_COUNTS.indexOf("delivered"))})
        filter (where ${added.part} = ${PARTS.deliveryTimes})`,
    },
    sql`from (
      select *, row_number() over (partition by ${keys}, part order by name) as place from (
        select ${resultColumns(KEY)}, part, name, ${listOf((index) => sums[index] as SQL)} as list
        from (
          select *, ${PARTS.all} as part, '' as name from firsts
          union all
          select firsts.*, ${PARTS.tags}, ${tag} from firsts, json_each(${first.tags}) t
            where ${isCountableTag(tag)}
          union all
          select firsts.*, ${PARTS.mailboxes}, ${mailbox} from firsts
            where ${first.recipient} is not null
          union all
          select firsts.*, ${PARTS.deliveryTimes}, ${timeStepOf(first.took_ms)} from firsts
            where ${first.type} = 'delivered'
        ) as firsts
        where ${first.type} not in ('cancelled', 'suppressed')
        group by ${sql.raw("1, 2, 3, 4, 5, 6, 7")}
      )
    ) as added
    group by ${keys}`,
    { tables: sql`with ${firstsOf(newEvents)}` },
  )}
  on conflict do update set ${assignments(statsHours, {
    ...mapCounts((count) => sql`${statsHours[count]} + ${excluded(statsHours[count])}`),
    tags: sql`iif(${excluded(statsHours.tags)} = '{}', ${statsHours.tags}, ${addedLists(statsHours.tags)})`,
    mailboxes: addedLists(statsHours.mailboxes),
    deliveryTimes: sql`(
      select json_group_object(key, added) from (
        select key, sum(value) as added from (
          select key, value from json_each(${statsHours.deliveryTimes})
          union all select key, value from json_each(${excluded(statsHours.deliveryTimes)})
        ) group by key
      ))`,
  })}`

/** The names that stand in the row come first. */
function addedLists(lists: Column) {
  return sql`(
  select json_group_object(key, json(list)) from (
    select key, ${listOf((index) => sql`sum(value ->> ${sql.raw(String(index))})`)} as list
    from (
      select key, value, 0 as is_new from json_each(${lists})
      union all select key, value, 1 from json_each(${excluded(lists)})
    )
    group by key order by min(is_new), key limit ${sql.raw(String(MAX_TAGS))}
  ))`
}

function mapCounts(value: (count: HourCount, index: number) => SQL) {
  return Object.fromEntries(
    HOUR_COUNTS.map((count, index) => [count, value(count, index)]),
  ) as Record<HourCount, SQL>
}
