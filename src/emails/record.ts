import { type SQL, sql } from "drizzle-orm"
import { countCampaigns, wakeCampaigns } from "../campaigns/counts.ts"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import { derivedId, newId } from "../lib/id.ts"
import { publishChanges } from "../stream/publish.ts"
import type { SuppressionReason } from "../suppressions/contract.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { limitHits } from "../tracking/daily-limit.ts"
import { hasWebhooks, storeEventsFrom } from "../webhooks/events.ts"
import { enqueueDeliveries } from "../webhooks/queue.ts"
import { type EmailEventType, ENDED_STATUSES, type EventData } from "./contract.ts"
import { countDays, countedAt, EVENT_BITS } from "./counters.ts"
import { keptAddress, keptData, lateReport } from "./late-reports.ts"
import { moveEmails, rankOf, selectNews } from "./news.ts"
import type { EmailRef } from "./queue.ts"

/** Something that happened to an email. */
export interface EmailEvent extends EmailRef {
  /** `evt_`; the same happening always has the same id. */
  id: string
  type: EmailEventType
  occurredAt: number
  data: EventData
  /** The provider's own id of the message, with `sent`. */
  providerMessageId?: string
}

/** An event whose id follows from what happened: `detail` tells two of one type apart. */
export const emailEvent = (
  ref: EmailRef,
  type: EmailEventType,
  occurredAt: number,
  data: EventData = {},
  detail = "",
): EmailEvent => ({
  teamId: ref.teamId,
  emailId: ref.emailId,
  id: derivedId("event", occurredAt, `${ref.emailId} ${type} ${detail}`),
  type,
  occurredAt,
  data,
})

/**
 * Everything that follows from events, in one batch: webhook deliveries, counters, status by rank,
 * suppressions, timeline. An event that is on the timeline already changes nothing, so the timeline
 * is written last and every statement before it leaves out what stands there. `alongside` joins
 * the batch.
 */
export async function recordEvents(
  work: Work,
  events: readonly EmailEvent[],
  alongside: readonly Query[] = [],
): Promise<void> {
  if (events.length === 0) {
    const [first, ...more] = alongside
    if (first) await work.db.batch([first, ...more])
    return
  }
  const listed = JSON.stringify(events.map(toRow))
  const hits = limitHits(events)
  const fresh = freshOf(listed, hits)
  const ofCampaigns = freshOf(listed, hits, sql`e.campaign_id is not null`)
  // Most teams have no webhook: for them the work ends here.
  const told = freshOf(listed, hits, hasWebhooks(sql`x.value ->> 'teamId'`))
  const teamIds = events.map(({ teamId }) => teamId)
  const [, deliveries, , , moved] = await work.db.batch([
    ...storeEventsFrom(work, teamIds, selectNews(told, work.now())),
    work.db.run(countDays(fresh)),
    countCampaigns(work, ofCampaigns),
    work.db.run(moveEmails(fresh)),
    work.db.run(suppressRecipients(events, work.now())),
    work.db.run(writeTimeline(fresh)),
    ...alongside,
  ])
  // Known events too: whoever recorded them may have died before it told the stream.
  await publishChanges(
    work,
    events.map(({ teamId, emailId }) => ({ teamId, type: "email", id: emailId })),
  )
  await enqueueDeliveries(work, deliveries)
  await wakeCampaigns(work, moved)
}

const ENDED = sql.raw(ENDED_STATUSES.map((status) => `'${status}'`).join(", "))

/**
 * The event is on its email's timeline. `sent` stands there once, whoever tells of it first: the
 * provider's answer, or its own event.
 */
const isKnown = sql`exists (
  select 1 from email_events known
  where known.team_id = e.team_id and known.email_id = e.id
    and (known.id = x.value ->> 'id' or (known.type = 'sent' and x.value ->> 'type' = 'sent'))
)`

const toRow = (event: EmailEvent) => ({
  ...event,
  ...lateReport(event.data),
  rank: rankOf(event.type),
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
      x.value ->> 'id' as id, x.value ->> 'type' as type, x.value ->> 'occurredAt' as occurred_at,
      x.value ->> 'rank' as rank, x.value ->> 'bit' as bit, x.value ->> 'day' as day,
      x.value ->> 'quarter' as quarter,
      x.value ->> 'providerMessageId' as provider_message_id, ${keptData} as data,
      ${hits.column} as preceding_hits
    from json_each(${listed}) x
    cross join emails e on e.team_id = x.value ->> 'teamId' and e.id = x.value ->> 'emailId'
    where ${condition} and not ${isKnown}
    group by e.team_id, e.id, x.value ->> 'id'`)}
  )`

function suppressRecipients(events: readonly EmailEvent[], now: number): SQL {
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
function suppressionsOf({ teamId, emailId, id, type, data }: EmailEvent) {
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
