import { getTableColumns, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import {
  type EmailEventType,
  type EventData,
  emailEvent,
  email as emailShape,
  NEVER_ANSWERED,
  STATUS_RANK,
} from "../emails/contract.ts"
import { emails } from "../emails/table.ts"
import { SHOWN_COLUMNS, type ShownEmail, toEmail } from "../emails/view.ts"

/** A failure that nobody reported ranks below every outcome that somebody does. */
const ASSUMED_FAILURE_RANK = STATUS_RANK.sent + 0.5

/** Opens, clicks and delays never change a status: they rank below all. */
export function rankOf({ type, data }: { type: EmailEventType; data: EventData }): number {
  if (type === "failed" && data.reason === NEVER_ANSWERED) return ASSUMED_FAILURE_RANK
  return type in STATUS_RANK ? STATUS_RANK[type as "sent"] : -1
}

/** A condition on an email's row. */
export const isAssumedFailure = (status: SQL, lastError: SQL) =>
  sql`(${status} = 'failed' and ${lastError} is ${NEVER_ANSWERED})`

const rankOfStatus = sql.raw(
  `case emails.status ${Object.entries(STATUS_RANK)
    .map(([status, rank]) => `when '${status}' then ${rank}`)
    .join(" ")} end`,
)
const currentRank = sql`iif(${isAssumedFailure(sql`emails.status`, sql`emails.last_error`)},
  ${ASSUMED_FAILURE_RANK}, ${rankOfStatus})`

/**
 * What events say of their email, as aggregates: of all its events in a group, or of each with the
 * ones before it in a window. The rank in front of the type sorts first, and has three characters.
 */
const said = (over = sql``) => sql`
  max(rank) ${over} as rank,
  substr(max(iif(rank >= 0, printf('%.1f', rank) || type, null)) ${over}, 4) as status,
  max(iif(type = 'sent', occurred_at, null)) ${over} as sent_at,
  substr(max(iif(type in ('failed', 'cancelled'), printf('%.1f', rank) || (data ->> 'reason'), null)) ${over}, 4) as reason`

/** What becomes of an email row through that. */
const after = {
  status: sql`iif(news.rank > ${currentRank}, news.status, emails.status)`,
  sentAt: sql`coalesce(emails.sent_at, news.sent_at)`,
  lastError: sql`coalesce(news.reason, emails.last_error)`,
}

export const moveEmails = (fresh: SQL) => sql`
  with ${fresh}
  update emails set
    status = ${after.status},
    event_types = emails.event_types | news.bits,
    sent_at = ${after.sentAt},
    provider_message_id = coalesce(emails.provider_message_id, news.provider_message_id),
    last_error = ${after.lastError},
    due_at = iif(news.rank >= ${STATUS_RANK.sent}, null, emails.due_at)
  from (
    select team_id, email_id, ${said()}, sum(distinct bit) as bits,
      max(provider_message_id) as provider_message_id
    from fresh group by team_id, email_id
  ) as news
  where emails.team_id = news.team_id and emails.id = news.email_id`

/** An event's `data` as it is stored: the email's row right after it, and its timeline entry. */
export interface EmailNews {
  email: ShownEmail
  event: { type: EmailEventType; occurredAt: number; data: EventData }
}

/** The events as webhooks are told of them. Cancelling is none of theirs. */
export const selectNews = (fresh: SQL, now: number) => sql`
  with ${fresh}, news as (
    select team_id, email_id, id, type, occurred_at, data,
      row_number() over (${inOrder}) as position, ${said(sql`over so_far`)}
    from fresh window so_far as (partition by team_id, email_id ${inOrder})
  )
  select news.team_id, news.id, 'email.' || news.type as type, ${now} as created_at,
    json_object('email', ${rowAfter}, 'event', json_object(
      'type', news.type, 'occurredAt', news.occurred_at, 'data', json(news.data)
    )) as data, null as webhook_id, news.position
  from news join emails on emails.team_id = news.team_id and emails.id = news.email_id
  where news.type <> 'cancelled'`

const inOrder = sql`order by occurred_at, rank, id`

const columns = getTableColumns(emails)
const rowAfter = sql`json_object(${sql.join(
  SHOWN_COLUMNS.map((name) => {
    const value = name in after ? after[name as keyof typeof after] : columns[name]
    return sql`${sql.raw(`'${name}'`)}, ${columns[name].dataType === "json" ? sql`json(${value})` : value}`
  }),
  sql`, `,
)})`

const newsShape = z.object({ email: emailShape, event: emailEvent.omit({ id: true }) })

/** The payload's `data` out of what was stored. */
export function toNewsData({ email, event }: EmailNews): Record<string, unknown> {
  const { data, ...entry } = event
  return z.encode(newsShape, { email: toEmail(email), event: { ...data, ...entry } })
}
