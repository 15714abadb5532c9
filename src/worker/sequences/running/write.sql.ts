import { sql } from "drizzle-orm"
import { campaignBatches } from "../../campaigns/table.ts"
import { contactEvents } from "../../contact-events/table.ts"
import { withEntries } from "../../contacts/consents/consents.ts"
import { contacts } from "../../contacts/table.ts"
import { insertRecipientsOf } from "../../emails/accept/insert.ts"
import { enqueueSends } from "../../emails/queue.ts"
import { emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { assignments, excluded, insertInto } from "../../platform/db/columns.ts"
import { afterCommit, type Statement } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { deliveryTimes } from "../../webhooks/events/new-deliveries.ts"
import {
  selectEvents,
  storeEventsFrom,
  type TeamEvent,
  teamsOf,
} from "../../webhooks/events/store.ts"
import { sequenceRuns, sequenceSteps, sequences } from "../table.ts"
import type { Change, Counted, Mail, Moved, Written } from "./written.ts"

/** A condition: the run is as it was read. */
const isAsRead = (x: { teamId: unknown; runId: unknown; visit: unknown }) =>
  sql`${sequenceRuns.teamId} = ${x.teamId} and ${sequenceRuns.id} = ${x.runId}
    and ${sequenceRuns.visit} = ${x.visit}
    and ${sequenceRuns.state} <> 'done'`

export const changeContacts = (work: Work, changes: readonly Change[]) => {
  const x = jsonFields<Change>()
  return work.db
    .update(contacts)
    .set({
      properties: sql`json_patch(${contacts.properties}, ${x.properties})`,
      topics: sql`json_patch(${contacts.topics}, ${x.topics})`,
      consents: sql`iif(${x.entries} = '[]', ${contacts.consents}, ${withEntries(x.entries)})`,
      updatedAt: sql`max(${work.now()}, ${contacts.updatedAt} + 1)`,
    })
    .from(sql`${jsonRows(changes)} cross join sequence_runs on ${isAsRead(x)}` as never)
    .where(
      sql`${contacts.teamId} = ${x.teamId} and ${contacts.bookId} = ${x.bookId}
        and ${contacts.id} = ${x.contactId}`,
    )
}

export function storeMail(work: Work, mails: readonly Mail[]): Statement[] {
  const x = jsonFields<Mail>()
  const these = sql`${jsonRows(mails)} cross join sequence_runs on ${isAsRead(x)}`
  const written = sql`${these} cross join emails on ${emails.teamId} = ${x.teamId}
    and ${emails.id} = ${x.id}`
  const inserted = insertInto(
    emails,
    {
      teamId: x.teamId,
      id: x.id,
      status: sql`'queued'`,
      sender: sequences.sender,
      recipients: sql`json_array(json_object('address', ${x.address}, 'as', 'to'))`,
      replyTo: sql`iif(${sequences.replyTo} is null, '[]', json_array(json(${sequences.replyTo})))`,
      subject: x.subject,
      subjectWords: x.subjectWords,
      domainId: sequences.domainId,
      campaignId: x.sequenceId,
      contactId: x.contactId,
      sequenceStep: sql`json_object('runId', ${x.runId}, 'version', ${x.version}, 'stepKey', ${x.stepKey})`,
      createdAt: x.createdAt,
      notBefore: 0,
    },
    sql`from ${these} cross join sequences on ${sequences.teamId} = ${x.teamId}
      and ${sequences.id} = ${x.sequenceId}`,
  )
  return [
    afterCommit(
      work.db.all<{ teamId: string }>(sql`${inserted} returning team_id as teamId`),
      (work, stored) => {
        const [first] = stored
        return first && enqueueSends(work, [{ ...first, notBefore: work.now(), bulk: true }])
      },
    ),
    work.db.run(insertRecipientsOf(sql`from ${written}`)),
    work.db.run(
      insertInto(
        campaignBatches,
        {
          teamId: x.teamId,
          campaignId: x.sequenceId,
          id: sql`min(${emails.id})`,
          emails: sql`json_group_array(${emails.id})`,
        },
        sql`from ${written} group by ${x.teamId}, ${x.sequenceId}`,
      ),
    ),
  ]
}

export function countSteps(work: Work, counted: readonly Counted[]) {
  const x = jsonFields<Counted>()
  const sum = (column: typeof x.entered) => sql`sum(${column})`
  const t = sequenceSteps
  return work.db.run(sql`
    ${insertInto(
      sequenceSteps,
      {
        teamId: x.teamId,
        sequenceId: x.sequenceId,
        stepKey: x.stepKey,
        entered: sum(x.entered),
        waiting: sum(x.waiting),
        ended: sum(x.ended),
      },
      sql`from ${jsonRows(counted)} cross join sequence_runs on ${isAsRead(x)} where true
        group by ${x.teamId}, ${x.sequenceId}, ${x.stepKey}`,
    )}
    on conflict do update set ${assignments(sequenceSteps, {
      entered: sql`${t.entered} + ${excluded(t.entered)}`,
      waiting: sql`${t.waiting} + ${excluded(t.waiting)}`,
      ended: sql`${t.ended} + ${excluded(t.ended)}`,
    })}`)
}

export function countRuns(work: Work, moved: readonly Moved[]): Statement[] {
  const counting = moved.filter((one) => one.entered + one.finished + one.ended > 0)
  if (counting.length === 0) return []
  const x = jsonFields<Moved>()
  return [
    work.db
      .update(sequences)
      .set({
        entered: sql`${sequences.entered} + added.entered`,
        finished: sql`${sequences.finished} + added.finished`,
        ended: sql`${sequences.ended} + added.ended`,
      })
      .from(
        sql`(select ${x.teamId} as team_id, ${x.sequenceId} as sequence_id, sum(${x.entered}) as entered,
            sum(${x.finished}) as finished, sum(${x.ended}) as ended
          from ${jsonRows(counting)} cross join sequence_runs on ${isAsRead(x)}
          group by 1, 2) as added` as never,
      )
      .where(sql`${sequences.teamId} = added.team_id and ${sequences.id} = added.sequence_id`),
  ]
}

/** An event or a change of the contact that came after the run was read has it looked at again. */
export const moveRuns = (work: Work, moved: readonly Moved[]) => {
  const x = jsonFields<Moved>()
  const run = sequenceRuns
  const hasEvent = sql`exists (select 1 from contact_events
    where ${contactEvents.teamId} = ${x.teamId} and ${contactEvents.contactId} = ${x.contactId}
      and ${contactEvents.name} = ${x.waitsFor} and ${contactEvents.at} > ${x.since})`
  const isContactAsRead = sql`(${x.contactUpdatedAt} is null or exists (select 1 from contacts
    where ${contacts.teamId} = ${x.teamId} and ${contacts.bookId} = ${x.bookId}
      and ${contacts.id} = ${x.contactId} and ${contacts.updatedAt} = ${x.contactUpdatedAt}))`
  return work.db.all<{ id: string }>(sql`
    update sequence_runs set ${assignments(sequenceRuns, {
      version: x.version,
      stepKey: x.stepKey,
      since: x.since,
      visit: sql`${run.visit} + 1`,
      state: x.state,
      endedBy: x.endedBy,
      heldReason: x.heldReason,
      dueAt: sql`iif(${x.dueAt} is not null and (${hasEvent} or not ${isContactAsRead}),
        ${work.now()}, ${x.dueAt})`,
      waitsFor: x.waitsFor,
      endedAt: x.endedAt,
      history: sql`iif(${x.entries} = '[]', ${run.history},
        iif(${run.history} = '[]', ${x.entries}, rtrim(${run.history}, ']') || ',' || ltrim(${x.entries}, '[')))`,
    })}
    from ${jsonRows(moved)}
    where ${run.teamId} = ${x.teamId} and ${run.id} = ${x.runId} and ${run.visit} = ${x.visit}
      and ${run.state} <> 'done'
    returning ${run.id} as id`)
}

export function storeRunEvents(work: Work, events: Written["events"]): Statement[] {
  if (events.length === 0) return []
  const x = jsonFields<Written["events"][number]>()
  return Object.values(
    storeEventsFrom(
      work,
      selectEvents(
        {
          team_id: x.teamId,
          id: x.id,
          type: x.type,
          created_at: x.createdAt,
          data: jsonFields<TeamEvent>("x", "->").data,
          webhook_id: sql`null`,
          position: sql`x.key`,
        },
        sql`from ${jsonRows(events)} cross join sequence_runs on ${isAsRead(x)}`,
      ),
      { teamIds: teamsOf(events), ...deliveryTimes(work.now()) },
    ),
  )
}
