import { type Column, type SQL, sql } from "drizzle-orm"
import { HOUR_MS } from "../../lib/time.ts"
import { EMAIL_EVENT_TYPES, type EmailEventType, STATUS_RANK } from "../emails/contract.ts"
import { newEvent as f } from "../emails/outcomes/new-events.ts"
import { assignments, columnsOf, insertInto, resultColumns } from "../platform/db/columns.ts"
import { statsDays } from "./table.ts"

/** All other bounces are soft, those of type `Undetermined` too. */
export const isHardBounce = (data: SQL | Column) =>
  sql`coalesce(${data} ->> 'bounceType', '') = 'Permanent'`

const { team_id, email_id, campaign_id, template_id, domain_id, tags, recipient } = f
const { type, rank, ended, assumed, day, quarter } = f
const FIRSTS = {
  team_id,
  email_id,
  campaign_id,
  template_id,
  domain_id,
  tags,
  recipient,
  type,
  rank,
  ended,
  assumed,
  day,
  quarter,
  hour: sql`${f.occurred_at} - ${f.occurred_at} % ${sql.raw(String(HOUR_MS))}`,
  /** From when the email was to go out. */
  took_ms: sql`${f.occurred_at} - ${f.due_at}`,
  is_hard: isHardBounce(f.data),
}
/** The columns of `firstsOf`. */
export const first = columnsOf<keyof typeof FIRSTS>("firsts")

/** The counted events. Each email counts once, whatever the number of its events. */
const COUNTED = [
  "sent",
  "delivered",
  "bounced",
  "complained",
  "opened",
  "clicked",
  "failed",
] as const satisfies readonly EmailEventType[]

/** The counts of a quarter of an hour, in the order of the stored list. Older lists have fewer. */
export const QUARTER_COUNTED = ["sent", "bounced", "complained", "delivered"] as const

/** An email's `event_types` has a bit for each type that is on its timeline. */
export const EVENT_BITS = Object.fromEntries(
  EMAIL_EVENT_TYPES.map((type, index) => [type, 1 << index]),
) as Record<EmailEventType, number>

/** The bit for a recipient who has unsubscribed through the email. */
export const UNSUBSCRIBED_BIT = 1 << 30

const listed = (types: readonly string[], part: (type: string) => string) =>
  sql.raw(types.map(part).join(", "))

/** An assumed failure counts as failed until a real outcome is reported. */
const sumOf = (type: string) =>
  type === "failed"
    ? sql`${countOf(type)} - count(distinct
        iif(${first.assumed} and ${first.rank} > ${STATUS_RANK.sent}, ${first.email_id}, null))`
    : countOf(type)

const countOf = (type: string) => sql`sum(${first.type} = ${sql.raw(`'${type}'`)})`

export const COUNTED_SUMS = resultColumns(
  Object.fromEntries(COUNTED.map((type) => [type, sumOf(type)])),
)

type Counted = (typeof COUNTED)[number]
const countedBy = (value: (type: Counted) => SQL) =>
  Object.fromEntries(COUNTED.map((type) => [type, value(type)])) as Record<Counted, SQL>

/** The columns of a table, each with the sum of the same name added. */
export const addCounted = (table: Record<Counted, Column>, added: "added" | "excluded") =>
  countedBy((type) => sql`${table[type]} + ${sql.raw(`${added}.${type}`)}`)

/**
 * The new events that count: each is the first of its type on its email's timeline. The service's own
 * notices do not count as mail of the team.
 */
export const firstsOf = (newEvents: SQL) => sql`${newEvents}, firsts as (
    select ${resultColumns(FIRSTS)}, min(${f.occurred_at}) from new_events
    where not ${f.event_types} & ${f.bit} and not ${f.is_notice}
    group by ${f.team_id}, ${f.email_id}, ${f.type}
  )`

const MINUTES_A_QUARTER = 15

export function countedAt(time: number): { day: string; quarter: string } {
  const date = new Date(time)
  const minutes = date.getUTCHours() * 60 + date.getUTCMinutes()
  return {
    day: date.toISOString().slice(0, 10),
    quarter: String(Math.floor(minutes / MINUTES_A_QUARTER)),
  }
}

/** The outcomes that are also counted for campaigns' mail alone. */
export const BULK_COUNTED = ["sent", "delivered", "bounced", "complained", "failed"] as const

const bulkOf = (value: (type: (typeof BULK_COUNTED)[number]) => SQL) =>
  sql`json_object(${sql.join(
    BULK_COUNTED.map((type) => sql`${sql.raw(`'${type}'`)}, ${value(type)}`),
    sql`, `,
  )})`
const isBulk = sql`${first.campaign_id} is not null`
const addedBulk = bulkOf(
  (type) => sql`coalesce(${statsDays.bulk} ->> ${sql.raw(`'${type}'`)}, 0)
    + (excluded.bulk ->> ${sql.raw(`'${type}'`)})`,
)

export const countDays = (newEvents: SQL) => sql`
  ${insertInto(
    statsDays,
    {
      teamId: first.team_id,
      day: first.day,
      ...countedBy(countOf),
      bulk: bulkOf((type) => sql`sum(${first.type} = ${sql.raw(`'${type}'`)} and ${isBulk})`),
      quarters: sql`json_object(${first.quarter}, json_array(${sql.join(QUARTER_COUNTED.map(countOf), sql`, `)}))`,
    },
    sql`from firsts where ${first.type} in (${listed(COUNTED, (type) => `'${type}'`)})
      group by ${first.team_id}, ${first.day}, ${first.quarter}`,
    { tables: sql`with ${firstsOf(newEvents)}` },
  )}
  on conflict do update set ${assignments(statsDays, {
    ...addCounted(statsDays, "excluded"),
    bulk: addedBulk,
    quarters: addedQuarters,
  })}`

const addedQuarters = sql`(
  select json_group_object(key, json(counts)) from (
    select key, json_array(${listed(
      QUARTER_COUNTED.map((_, index) => String(index)),
      (index) => `sum(value ->> ${index})`,
    )}) as counts
    from (
      select key, value from json_each(${statsDays.quarters})
      union all select key, value from json_each(excluded.quarters)
    ) group by key
  ))`
