import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import { ENDED_STATUSES } from "../emails/contract.ts"
import type { Work } from "../env.ts"
import { enqueueDeliveries } from "../events/queue.ts"
import { hasWebhooks, storeEventsFrom } from "../events/store.ts"
import { chunkBySize } from "../lib/chunk.ts"
import { newId } from "../lib/id.ts"
import type { EmailReport } from "../queues/report.ts"
import { countDays, countedAt, EVENT_BITS } from "../stats/counters.ts"
import { keepChanges } from "../stream/outbox.ts"
import { publishKept } from "../stream/publish.ts"
import type { SuppressionReason } from "../suppressions/contract.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { countCampaigns, wakeCampaigns } from "./campaign-counts.ts"
import { limitHits } from "./daily-limit.ts"
import { keptAddress, keptData, lateReport } from "./late-reports.ts"
import { isAssumedFailure, moveEmails, rankOf, selectNews } from "./move-status.ts"

/** D1 binds 2 MB a value, and everybody waits for a batch: an event may cause 50 deliveries. */
const RECORDED_AT_ONCE = { count: 100, bytes: 400_000 }

/**
 * Everything that follows from events: webhook deliveries, counters, status by rank, suppressions,
 * timeline, and what the stream tells. Up to 100 events are one batch. `alongside` joins the last.
 */
export async function recordEvents(
  work: Work,
  events: readonly EmailReport[],
  alongside: readonly Query[] = [],
): Promise<void> {
  const distinct = new Map(
    events.map((event) => [`${event.teamId} ${event.emailId} ${event.id}`, event]),
  )
  const parts = chunkBySize([...distinct.values()].map(toRow), RECORDED_AT_ONCE)
  const [first, ...more] = alongside
  if (parts.length === 0 && first) await work.db.batch([first, ...more])
  const published: Promise<void>[] = []
  try {
    for (const [index, part] of parts.entries()) {
      const recorded = await recordPart(work, part, index === parts.length - 1 ? alongside : [])
      published.push(publishKept(work, recorded.kept))
      await enqueueDeliveries(work, recorded.deliveries)
      await wakeCampaigns(work, recorded.moved)
    }
  } finally {
    await Promise.all(published)
  }
}

/**
 * One batch. An event that is on the timeline already changes nothing, so the timeline is written
 * last and every statement before it leaves out what stands there.
 */
async function recordPart(work: Work, rows: readonly EventRow[], alongside: readonly Query[]) {
  const listed = JSON.stringify(rows)
  const hits = limitHits(rows)
  const fresh = freshOf(listed, hits)
  const ofCampaigns = freshOf(listed, hits, sql`e.campaign_id is not null`)
  // Most teams have no webhook: for them the work ends here.
  const told = freshOf(listed, hits, hasWebhooks(sql`x.value ->> 'teamId'`))
  const teamIds = rows.map(({ teamId }) => teamId)
  const [, deliveries, , kept, , moved] = await work.db.batch([
    ...storeEventsFrom(work, teamIds, selectNews(told, work.now())),
    keepChanges(work, hits.hasHits ? changesOfFresh(fresh) : changesOf(listed)),
    work.db.run(countDays(fresh)),
    countCampaigns(work, ofCampaigns),
    work.db.run(moveEmails(fresh)),
    work.db.run(suppressRecipients(rows, work.now())),
    work.db.run(writeTimeline(fresh)),
    ...alongside,
  ])
  return { deliveries, kept, moved }
}

const ENDED = sql.raw(ENDED_STATUSES.map((status) => `'${status}'`).join(", "))

/**
 * The event is on its email's timeline. `sent` stands there once, whoever tells of it first: the
 * provider's answer, or its own event.
 */
const isOnTimeline = (teamId: SQL, emailId: SQL) => sql`exists (
  select 1 from email_events known
  where known.team_id = ${teamId} and known.email_id = ${emailId}
    and (known.id = x.value ->> 'id' or (known.type = 'sent' and x.value ->> 'type' = 'sent'))
)`
const isLatest = sql`coalesce(x.value ->> 'attempt' = e.attempts, 1)`
const isKnown = isOnTimeline(sql`e.team_id`, sql`e.id`)

type EventRow = ReturnType<typeof toRow>

const toRow = (event: EmailReport) => ({
  ...event,
  ...lateReport(event.data),
  rank: rankOf(event),
  bit: EVENT_BITS[event.type],
  ...countedAt(event.occurredAt),
})

/**
 * The events that are not on the timeline yet, each beside its email as it stands. Opens and clicks
 * over the day's limit are left out.
 */
const freshOf = (listed: string, hits: ReturnType<typeof limitHits>, condition = sql`true`): SQL =>
  sql`fresh as materialized (${hits.leaveOut(sql`
    select e.team_id, e.id as email_id, e.event_types, e.campaign_id, e.status in (${ENDED}) as ended,
      ${isAssumedFailure(sql`e.status`, sql`e.last_error`)} as assumed,
      x.value ->> 'id' as id, x.value ->> 'type' as type, x.value ->> 'occurredAt' as occurred_at,
      x.value ->> 'rank' as rank, x.value ->> 'bit' as bit, x.value ->> 'day' as day,
      x.value ->> 'quarter' as quarter,
      x.value ->> 'providerMessageId' as provider_message_id, ${keptData} as data,
      ${hits.column} as preceding_hits
    from json_each(${listed}) x
    cross join emails e on e.team_id = x.value ->> 'teamId' and e.id = x.value ->> 'emailId'
    where ${condition} and ${isLatest} and not ${isKnown}`)}
  )`

/** Without a look at the emails themselves. */
const changesOf = (listed: string) => sql`
  select x.value ->> 'teamId' as team_id, 'email' as type, x.value ->> 'emailId' as id
  from json_each(${listed}) x
  where not ${isOnTimeline(sql`x.value ->> 'teamId'`, sql`x.value ->> 'emailId'`)}`

/** A hit over the day's limit is no change. */
const changesOfFresh = (fresh: SQL) => sql`
  with ${fresh} select team_id, 'email' as type, email_id as id from fresh`

function suppressRecipients(events: readonly EventRow[], now: number): SQL {
  const entries = events.flatMap(suppressionsOf).map((entry) => ({
    ...entry,
    erased: erasedForm(entry.email),
    suppressionId: newId("suppression", now),
  }))
  return sql`
    insert into suppressions (team_id, email, id, reason, source_email_id, created_at)
    select e.team_id, ${keptAddress(sql`x.value ->> 'email'`, sql`x.value ->> 'erased'`)},
      x.value ->> 'suppressionId', x.value ->> 'reason', e.id, ${now}
    from json_each(${JSON.stringify(entries)}) x
    cross join emails e on e.team_id = x.value ->> 'teamId' and e.id = x.value ->> 'emailId'
    where not ${isKnown} and not exists (
      select 1 from suppressions s where s.team_id = e.team_id and s.email = x.value ->> 'erased'
    ) on conflict do nothing`
}

const writeTimeline = (fresh: SQL) => sql`
  insert into email_events (team_id, email_id, id, type, occurred_at, data)
  with ${fresh}
  select team_id, email_id, id, type, occurred_at, data from fresh`

/** A hard bounce and a complaint suppress their recipients, unless it says that it is no spam. */
function suppressionsOf({ teamId, emailId, id, type, data }: EmailReport) {
  const reason: SuppressionReason | null =
    type === "bounced" && data.bounceType === "Permanent"
      ? "bounce"
      : type === "complained" && data.complaintFeedbackType !== "not-spam"
        ? "complaint"
        : null
  return reason
    ? (data.recipients ?? []).map((email) => ({ teamId, emailId, id, email, reason }))
    : []
}
