import { inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { countCampaigns, thenEnqueueCampaigns } from "../../campaigns/counts.ts"
import type { Work } from "../../platform/context.ts"
import { resultColumns } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { type Placeholders, prepared } from "../../platform/db/prepared.ts"
import { countStepMail } from "../../sequences/counts.ts"
import { countDays, countedAt, EVENT_BITS } from "../../stats/counters.ts"
import { countLinks, linkOf } from "../../stats/links/count-links.ts"
import { countHours } from "../../stats/series/count-hours.ts"
import { keepChanges } from "../../stream/outbox.ts"
import type { DeliveryTimes } from "../../webhooks/events/new-deliveries.ts"
import { hasWebhooks, storeEventsFrom } from "../../webhooks/events/store.ts"
import { ENDED_STATUSES } from "../statuses.ts"
import { emailEvents, emails } from "../table.ts"
import { insertEntries } from "../timeline.ts"
import { type HitLimit, LIMITED_HITS, NO_HITS } from "./daily-limit.ts"
import { anonymize, dataToStore } from "./erased-recipients.ts"
import { isAssumedFailure, moveEmails, rankOf, selectEmailEvents } from "./move-status.ts"
import { newEvent as f, type NewEventColumn } from "./new-events.ts"
import type { EmailReport } from "./report.ts"
import { suppressRecipients } from "./suppress.ts"

const ENDED = sql.raw(ENDED_STATUSES.map((status) => `'${status}'`).join(", "))

export type EventRow = ReturnType<typeof toRow>

const x = jsonFields<EventRow>()

/**
 * A condition: the event is on its email's timeline. Each email has one `cancelled`, one
 * `suppressed` and one `sent`, which the provider's answer and the provider's own event both report.
 */
const isOnTimeline = (teamId: SQLWrapper, emailId: SQLWrapper) => sql`exists (
  select 1 from ${emailEvents}
  where ${emailEvents.teamId} = ${teamId} and ${emailEvents.emailId} = ${emailId}
    and (${emailEvents.id} = ${x.id} or (${emailEvents.type} = ${x.type} and ${x.type} in ('sent', 'cancelled', 'suppressed')))
)`

/** Also after an earlier statement of the batch has cancelled the email. */
const UNCLAIMED = ["queued", "scheduled", "cancelled"] as const
const isLatest = sql`coalesce(${x.attempt} = ${emails.attempts}, 1)
  and coalesce(not ${x.unlessClaimed} or ${inArray(emails.status, UNCLAIMED)}, 1)`
const isKnown = isOnTimeline(emails.teamId, emails.id)

export const toRow = ({ settings }: Work, event: EmailReport) => ({
  ...event,
  ...anonymize(settings, event.data),
  rank: rankOf(event),
  bit: EVENT_BITS[event.type],
  link: event.data.url && linkOf(event.data.url),
  ...countedAt(event.occurredAt),
})

/** Mail of the service itself to the owners of the team. */
const isNotice = sql`(${emails.keyId} is null and ${emails.tags} ->> '$.notice' is not null)`

const NEW_EVENT: Record<NewEventColumn, SQLWrapper> = {
  team_id: emails.teamId,
  email_id: emails.id,
  event_types: emails.eventTypes,
  campaign_id: emails.campaignId,
  template_id: emails.templateId,
  domain_id: emails.domainId,
  tags: emails.tags,
  recipient: sql`${emails.recipients} ->> '$[0].address'`,
  due_at: sql`coalesce(${emails.scheduledAt}, ${emails.createdAt})`,
  is_notice: isNotice,
  ended: sql`${emails.status} in (${ENDED})`,
  assumed: isAssumedFailure(emails),
  id: x.id,
  type: x.type,
  occurred_at: x.occurredAt,
  rank: x.rank,
  bit: x.bit,
  day: x.day,
  quarter: x.quarter,
  link: x.link,
  provider_message_id: x.providerMessageId,
  data: dataToStore,
}

/**
 * The events that are not on the timeline yet, each beside its email as it stands. Opens and clicks
 * over the day's limit are left out.
 */
const newEventsOf = (listed: SQL, hits: HitLimit, condition = sql`true`): SQL =>
  sql`new_events as materialized (${hits.leaveOut(sql`
    select ${resultColumns({ ...NEW_EVENT, preceding_hits: hits.column })} from ${listed}
    cross join emails on ${emails.teamId} = ${x.teamId} and ${emails.id} = ${x.emailId}
    where ${condition} and ${isLatest} and not ${isKnown}`)}
  )`

const changesOf = (listed: SQL) => sql`
  select ${x.teamId} as team_id, 'email' as type, ${x.emailId} as id
  from ${listed} where not ${isOnTimeline(x.teamId, x.emailId)}`

/** Hits over the day's limit and void events are not changes. */
const changesOfNew = (newEvents: SQL) => sql`
  with ${newEvents} select ${f.team_id}, 'email' as type, ${f.email_id} as id from new_events`

type Recorded = "rows" | "suppressed" | "teamIds" | "publication" | keyof DeliveryTimes

const statements = (hits: HitLimit, { isTransactional }: { isTransactional: boolean }) =>
  prepared((db, p: Placeholders<Recorded>) => {
    const listed = jsonRows(p.rows, "x", { parsedOnce: true })
    const newEvents = newEventsOf(listed, hits)
    const ofCampaigns = newEventsOf(listed, hits, sql`${emails.campaignId} is not null`)
    // Most teams have no webhook, and this condition spares them the rest.
    const withWebhook = newEventsOf(listed, hits, hasWebhooks(x.teamId))
    const changes = hits === NO_HITS ? changesOf(listed) : changesOfNew(newEvents)
    return {
      ...storeEventsFrom({ db }, selectEmailEvents(withWebhook, p.createdAt), {
        teamIds: p.teamIds,
        createdAt: p.createdAt,
        dueAt: p.dueAt,
        idPrefix: p.idPrefix,
      }),
      changes: keepChanges({ db }, changes, p.publication),
      days: db.run(countDays(newEvents)),
      hours: db.run(countHours(newEvents)),
      ...(hits === LIMITED_HITS && { links: db.run(countLinks(newEvents)) }),
      ...(!isTransactional && {
        runs: thenEnqueueCampaigns(countCampaigns({ db }, ofCampaigns, p.createdAt)),
        steps: countStepMail({ db }, ofCampaigns),
      }),
      emails: db.run(moveEmails(newEvents)),
      suppressions: db.run(suppressRecipients(p.suppressed, p.createdAt, isKnown)),
      timeline: db.run(insertEntries(newEvents)),
    }
  })

const writesOf = (hits: HitLimit) => ({
  transactional: statements(hits, { isTransactional: true }),
  any: statements(hits, { isTransactional: false }),
})

/** `some`: events may be left out, a hit over the day's limit, or one that a claim makes void. */
export const WRITES = { all: writesOf(NO_HITS), some: writesOf(LIMITED_HITS) }
