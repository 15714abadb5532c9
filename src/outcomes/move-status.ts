import { getTableColumns, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { assigned, columnsOf, valuesAs } from "../db/columns.ts"
import {
  type EmailEventType,
  type EventData,
  NEVER_ANSWERED,
  STATUS_RANK,
} from "../emails/contract.ts"
import { emails } from "../emails/table.ts"
import { SHOWN_COLUMNS } from "../emails/view.ts"
import { selectEvents } from "../events/store.ts"
import type { Fresh } from "./record.ts"

const f = columnsOf<Fresh>("fresh")

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
const said = (over = sql``) => ({
  rank: sql`max(${f.rank}) ${over}`,
  status: sql`substr(max(iif(${f.rank} >= 0, printf('%.1f', ${f.rank}) || ${f.type}, null)) ${over}, 4)`,
  sent_at: sql`max(iif(${f.type} = 'sent', ${f.occurred_at}, null)) ${over}`,
  reason: sql`substr(max(iif(${f.type} in ('failed', 'cancelled'),
    printf('%.1f', ${f.rank}) || (${f.data} ->> 'reason'), null)) ${over}, 4)`,
})

const { team_id, email_id, id, type, occurred_at, data } = f

/** One row for each email. */
const NEWS_OF_EMAILS = {
  team_id,
  email_id,
  ...said(),
  bits: sql`sum(distinct ${f.bit})`,
  provider_message_id: sql`max(${f.provider_message_id})`,
}

const inOrder = sql`order by ${f.occurred_at}, ${f.rank}, ${f.id}`

/** One row for each event. */
const NEWS_OF_EVENTS = {
  team_id,
  email_id,
  id,
  type,
  occurred_at,
  data,
  position: sql`row_number() over (${inOrder})`,
  ...said(sql`over so_far`),
}

const news = columnsOf<keyof typeof NEWS_OF_EMAILS | keyof typeof NEWS_OF_EVENTS>("news")

const after = {
  status: sql`iif(${news.rank} > ${currentRank}, ${news.status}, ${emails.status})`,
  sentAt: sql`coalesce(${emails.sentAt}, ${news.sent_at})`,
  lastError: sql`coalesce(${news.reason}, ${emails.lastError})`,
}

const isOfNews = sql`${emails.teamId} = ${news.team_id} and ${emails.id} = ${news.email_id}`

export const moveEmails = (fresh: SQL) => sql`
  with ${fresh}
  update emails set ${assigned(emails, {
    ...after,
    eventTypes: sql`${emails.eventTypes} | ${news.bits}`,
    providerMessageId: sql`coalesce(${emails.providerMessageId}, ${news.provider_message_id})`,
    dueAt: sql`iif(${news.rank} >= ${STATUS_RANK.sent}, null, ${emails.dueAt})`,
  })}
  from (select ${valuesAs(NEWS_OF_EMAILS)} from fresh group by ${team_id}, ${email_id}) as news
  where ${isOfNews}`

/** The events for webhooks, with `EmailNews` as data. A cancellation has none. */
export const selectNews = (fresh: SQL, now: Placeholder) => sql`
  with ${fresh}, news as (
    select ${valuesAs(NEWS_OF_EVENTS)}
    from fresh window so_far as (partition by ${team_id}, ${email_id} ${inOrder})
  )
  ${selectEvents(
    {
      team_id: news.team_id,
      id: news.id,
      type: sql`'email.' || ${news.type}`,
      created_at: now,
      data: sql`json_object('email', ${rowAfter}, 'event', json_object(
        'type', ${news.type}, 'occurredAt', ${news.occurred_at}, 'data', json(${news.data})
      ))`,
      webhook_id: sql`null`,
      position: news.position,
    },
    sql`from news join emails on ${isOfNews} where ${news.type} <> 'cancelled'`,
  )}`

const columns = getTableColumns(emails)
const rowAfter = sql`json_object(${sql.join(
  SHOWN_COLUMNS.map((name) => {
    const value = name in after ? after[name as keyof typeof after] : columns[name]
    return sql`${sql.raw(`'${name}'`)}, ${columns[name].dataType === "json" ? sql`json(${value})` : value}`
  }),
  sql`, `,
)})`
