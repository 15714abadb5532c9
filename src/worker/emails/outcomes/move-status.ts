import { getTableColumns, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { assignments, columnsOf, resultColumns } from "../../platform/db/columns.ts"
import { selectEvents } from "../../webhooks/events/store.ts"
import { type EmailEventType, type EventData, NEVER_ANSWERED, STATUS_RANK } from "../contract.ts"
import { emails } from "../table.ts"
import { SHOWN_COLUMNS } from "../view.ts"
import { newEvent as f } from "./new-events.ts"

/** An assumed failure ranks below every reported outcome. */
const ASSUMED_FAILURE_RANK = STATUS_RANK.sent + 0.5

/** Opens, clicks and delays never change a status: they rank below all. */
export function rankOf({ type, data }: { type: EmailEventType; data: EventData }): number {
  if (type === "failed" && data.reason === NEVER_ANSWERED) return ASSUMED_FAILURE_RANK
  return type in STATUS_RANK ? STATUS_RANK[type as "sent"] : -1
}

export const isAssumedFailure = (email: { status: SQLWrapper; lastError: SQLWrapper }) =>
  sql`(${email.status} = 'failed' and ${email.lastError} is ${NEVER_ANSWERED})`

const ranks = sql.raw(
  Object.entries(STATUS_RANK)
    .map(([status, rank]) => `when '${status}' then ${rank}`)
    .join(" "),
)
const currentRank = sql`iif(${isAssumedFailure(emails)}, ${ASSUMED_FAILURE_RANK},
  case ${emails.status} ${ranks} end)`

/**
 * Aggregates over the events of an email: all of them in a group, or each with the ones before it in
 * a window. The rank has three characters and stands in front of the type, so `max` sorts by it.
 */
const summaryOf = (over = sql``) => ({
  rank: sql`max(${f.rank}) ${over}`,
  status: sql`substr(max(iif(${f.rank} >= 0, printf('%.1f', ${f.rank}) || ${f.type}, null)) ${over}, 4)`,
  sent_at: sql`max(iif(${f.type} = 'sent', ${f.occurred_at}, null)) ${over}`,
  reason: sql`substr(max(iif(${f.type} in ('failed', 'cancelled'),
    printf('%.1f', ${f.rank}) || (${f.data} ->> 'reason'), null)) ${over}, 4)`,
  provider_message_id: sql`max(${f.provider_message_id}) ${over}`,
})

const { team_id, email_id, id, type, occurred_at, data } = f

/** One row for each email. */
const SUMMARY_OF_EMAIL = {
  team_id,
  email_id,
  ...summaryOf(),
  bits: sql`sum(distinct ${f.bit})`,
}

const inOrder = sql`order by ${f.occurred_at}, ${f.rank}, ${f.id}`

/** One row for each event: the email's events up to this one. */
const SUMMARY_AT_EVENT = {
  team_id,
  email_id,
  id,
  type,
  occurred_at,
  data,
  position: sql`row_number() over (${inOrder})`,
  ...summaryOf(sql`over so_far`),
}

const summary = columnsOf<keyof typeof SUMMARY_OF_EMAIL | keyof typeof SUMMARY_AT_EVENT>("summary")

const after = {
  status: sql`iif(${summary.rank} > ${currentRank}, ${summary.status}, ${emails.status})`,
  sentAt: sql`coalesce(${emails.sentAt}, ${summary.sent_at})`,
  lastError: sql`coalesce(${summary.reason}, ${emails.lastError})`,
  providerMessageId: sql`coalesce(${emails.providerMessageId}, ${summary.provider_message_id})`,
}

const isOfSummary = sql`${emails.teamId} = ${summary.team_id} and ${emails.id} = ${summary.email_id}`

export const moveEmails = (newEvents: SQL) => sql`
  with ${newEvents}
  update emails set ${assignments(emails, {
    ...after,
    eventTypes: sql`${emails.eventTypes} | ${summary.bits}`,
    dueAt: sql`iif(${summary.rank} >= ${STATUS_RANK.sent}, null, ${emails.dueAt})`,
  })}
  from (select ${resultColumns(SUMMARY_OF_EMAIL)} from new_events group by ${team_id}, ${email_id}) as summary
  where ${isOfSummary}`

/** The events for webhooks, with `EmailEventData` as data. A cancellation and a skipped recipient have none. */
export const selectEmailEvents = (newEvents: SQL, now: Placeholder) => sql`
  with ${newEvents}, summary as (
    select ${resultColumns(SUMMARY_AT_EVENT)}
    from new_events window so_far as (partition by ${team_id}, ${email_id} ${inOrder})
  )
  ${selectEvents(
    {
      team_id: summary.team_id,
      id: summary.id,
      type: sql`'email.' || ${summary.type}`,
      created_at: now,
      data: sql`json_object('email', ${rowAfter}, 'event', json_object(
        'type', ${summary.type}, 'occurredAt', ${summary.occurred_at}, 'data', json(${summary.data})
      ))`,
      webhook_id: sql`null`,
      position: summary.position,
    },
    sql`from summary join emails on ${isOfSummary} where ${summary.type} not in ('cancelled', 'suppressed')`,
  )}`

const columns = getTableColumns(emails)
const rowAfter = sql`json_object(${sql.join(
  SHOWN_COLUMNS.map((name) => {
    const value = name in after ? after[name as keyof typeof after] : columns[name]
    return sql`${sql.raw(`'${name}'`)}, ${columns[name].dataType === "json" ? sql`json(${value})` : value}`
  }),
  sql`, `,
)})`
