import { sql } from "drizzle-orm"
import * as z from "zod"
import { chunkBySize } from "../../../lib/chunk.ts"
import { derivedId } from "../../../lib/id.ts"
import { renderSubject } from "../../campaigns/body.ts"
import { campaignBatches } from "../../campaigns/table.ts"
import { consentEntries, withEntries } from "../../contacts/consents/consents.ts"
import { contactEvent } from "../../contacts/events.ts"
import { nameKeys } from "../../contacts/search.ts"
import { contacts } from "../../contacts/table.ts"
import { insertEmails, insertRecipientsOf } from "../../emails/accept/insert.ts"
import { enqueueSends } from "../../emails/queue.ts"
import { e } from "../../emails/table.ts"
import { storedWords } from "../../emails/word-index/subject-words.ts"
import type { Work } from "../../platform/context.ts"
import { assignments, excluded, insertInto } from "../../platform/db/columns.ts"
import { afterCommit, commit, type Statement } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { deliveryTimes } from "../../webhooks/events/new-deliveries.ts"
import {
  newEvent,
  selectEvents,
  storeEventsFrom,
  type TeamEvent,
  teamsOf,
} from "../../webhooks/events/store.ts"
import { sequence as sequenceShape } from "../contract.ts"
import type { Advance } from "../definition/advance.ts"
import { flowOf } from "../definition/flow.ts"
import { run as runShape } from "../runs-contract.ts"
import type { RunEnd, RunState } from "../statuses.ts"
import type { SendStep } from "../steps-contract.ts"
import { type HistoryEntry, q, r, sequenceRuns, sequenceSteps, sequences } from "../table.ts"
import { toSequence } from "../view.ts"
import type { Decision } from "./decide.ts"
import type { DueContact } from "./due.ts"

/** Every row names the visit of its run: it is written only if the run is still there. */
interface OfRun {
  teamId: string
  runId: string
  visit: number
}

interface Moved extends OfRun {
  sequenceId: string
  version: number
  stepKey: string | null
  since: number
  state: RunState
  endedBy: RunEnd | null
  heldReason: string | null
  dueAt: number | null
  waitsFor: string | null
  endedAt: number | null
  entries: string
  entered: number
  finished: number
  ended: number
}

interface Mail extends OfRun {
  sequenceId: string
  version: number
  stepKey: string
  id: string
  createdAt: number
  contactId: string
  address: string
  subject: string
  subjectWords: string | null
}

interface Counted extends OfRun {
  sequenceId: string
  stepKey: string
  entered: number
  waiting: number
  ended: number
}

interface Change extends OfRun {
  bookId: string
  contactId: string
  properties: string
  topics: string
  entries: string
}

interface Written {
  moved: Moved[]
  mails: Mail[]
  counted: Counted[]
  changes: Change[]
  events: (TeamEvent & OfRun)[]
}

/** A condition on `r`: the run is as it was read. */
const isAsRead = (x: { teamId: unknown; runId: unknown; visit: unknown }) =>
  sql`${r.teamId} = ${x.teamId} and ${r.id} = ${x.runId} and ${r.visit} = ${x.visit}
    and ${r.state} <> 'done'`

/**
 * Writes what was decided of runs, in one batch. Each run is written once, whoever else has decided
 * the same: the visit guards all of it. Answers how many runs were moved.
 */
export async function writeDecisions(work: Work, decisions: readonly Decision[]): Promise<number> {
  const parts = chunkBySize(
    decisions.map((decision) => write(work, decision)),
    WRITTEN_AT_ONCE,
  )
  let moved = 0
  for (const part of parts) moved += await writePart(work, part)
  return moved
}

/** D1 binds 2 MB a value. */
const WRITTEN_AT_ONCE = { count: 200, bytes: 1_000_000 }

async function writePart(work: Work, parts: readonly Written[]): Promise<number> {
  const all = <Name extends keyof Written>(name: Name) =>
    parts.flatMap((part) => part[name] as Written[Name][number][]) as Written[Name]
  const { moved } = await commit(work, {
    events: storeRunEvents(work, all("events")),
    contacts: all("changes").length > 0 ? [changeContacts(work, all("changes"))] : [],
    mail: all("mails").length > 0 ? storeMail(work, all("mails")) : [],
    steps: all("counted").length > 0 ? [countSteps(work, all("counted"))] : [],
    counts: countRuns(work, all("moved")),
    moved: moveRuns(work, all("moved")),
  })
  return moved.length
}

function write(work: Work, decision: Decision): Written {
  const { run, advance } = decision
  const now = work.now()
  const ofRun: OfRun = { teamId: run.teamId, runId: run.id, visit: run.visit }
  const unchanged = {
    ...ofRun,
    ...{ sequenceId: run.sequenceId, version: run.version, stepKey: run.stepKey },
    ...{ since: run.since, state: "waiting", endedBy: null, heldReason: null, endedAt: null },
    ...{ dueAt: null, waitsFor: run.waitsFor, entries: "[]", entered: 0, finished: 0, ended: 0 },
  } satisfies Moved
  if (!advance) return { moved: [unchanged], mails: [], counted: [], changes: [], events: [] }
  const mails = mailsOf(work, decision, advance, ofRun)
  const moved = { ...unchanged, ...movedBy(decision, advance, now, mails) }
  return {
    moved: [moved],
    mails,
    counted: countedBy(decision, advance).map((one) => ({
      ...ofRun,
      ...{ sequenceId: run.sequenceId, ...one },
    })),
    changes: run.contact ? changesOf(run.contact, run.bookId, advance, ofRun, now) : [],
    events: [
      ...eventsOf(work, decision, advance, moved),
      ...contactEventsOf(work, decision, advance),
    ].map((event) => ({ ...event, ...ofRun })),
  }

  function contactEventsOf(work: Work, { run }: Decision, { actions }: Advance): TeamEvent[] {
    const sets = actions.filter((action) => action.kind === "set")
    const { contact } = run
    if (!contact || sets.length === 0) return []
    const fresh = {
      ...contact,
      ...{ teamId: run.teamId, bookId: run.bookId, ...nameKeys(contact), updatedAt: now },
      properties: Object.assign(
        {},
        contact.properties,
        ...sets.map(({ properties }) => properties),
      ),
      topics: Object.assign({}, contact.topics, ...sets.map(({ topics }) => topics)),
    }
    return [contactEvent(work, "updated", fresh)]
  }
}

function movedBy(
  { run, shared }: Decision,
  { passed, next }: Advance,
  now: number,
  mails: readonly Mail[],
): Partial<Moved> {
  const entries = passed.map(
    ({ stepKey, outcome }): HistoryEntry => ({
      ...{ stepKey, outcome, at: now },
      emailId: mails.find((mail) => mail.stepKey === stepKey)?.id ?? null,
    }),
  )
  const common = {
    version: shared.row.version,
    entries: JSON.stringify(entries),
    entered: Number(run.stepKey === null),
    waitsFor: null,
  }
  if (next.state === "done") {
    const isFinished = next.endedBy === "finished"
    return {
      ...common,
      ...{ stepKey: null, since: now, state: "done", endedBy: next.endedBy, endedAt: now },
      ...{ finished: Number(isFinished), ended: Number(!isFinished) },
    }
  }
  const { stepKey, since } = next
  if (next.state === "held") {
    return { ...common, stepKey, since, state: "held", heldReason: next.reason }
  }
  return { ...common, stepKey, since, dueAt: next.dueAt, waitsFor: next.waitsFor }
}

/** How the numbers of steps change. */
export function countedBy(
  { run, isRelocated }: Pick<Decision, "run" | "isRelocated">,
  { passed, next }: Advance,
): Pick<Counted, "stepKey" | "entered" | "waiting" | "ended">[] {
  const at = next.state === "done" ? null : next.stepKey
  const stays = (key: string) => key === run.stepKey && !isRelocated
  const seen = [...new Set([...passed.map(({ stepKey }) => stepKey), ...(at === null ? [] : [at])])]
  const endedIn =
    next.state === "done" && next.endedBy !== "finished" ? (next.stepKey ?? run.stepKey) : null
  return [
    ...seen.map((stepKey) => ({
      ...{ stepKey, entered: Number(!stays(stepKey)), ended: 0 },
      waiting: Number(stepKey === at) - Number(stepKey === run.stepKey),
    })),
    ...(run.stepKey !== null && !seen.includes(run.stepKey)
      ? [{ stepKey: run.stepKey, entered: 0, waiting: -1, ended: 0 }]
      : []),
    ...(endedIn === null ? [] : [{ stepKey: endedIn, entered: 0, waiting: 0, ended: 1 }]),
  ].filter(({ entered, waiting, ended }) => entered !== 0 || waiting !== 0 || ended !== 0)
}

function mailsOf(
  work: Work,
  { run, shared }: Decision,
  { actions }: Advance,
  ofRun: OfRun,
): Mail[] {
  let properties = run.contact?.properties ?? {}
  return actions.flatMap((action): Mail[] => {
    if (action.kind === "set") properties = { ...properties, ...action.properties }
    if (action.kind !== "send" || !run.contact) return []
    const step = flowOf(shared.row.steps).stepOf(action.stepKey) as SendStep
    const subject = renderSubject(step.subject, { ...run.contact, properties }, {})
    return [
      {
        ...{ ...ofRun, sequenceId: run.sequenceId, version: shared.row.version },
        stepKey: step.key,
        id: derivedId("email", work.now(), `${run.id} ${step.key} ${run.visit}`),
        createdAt: work.now(),
        ...{ contactId: run.contactId, address: run.contact.email },
        ...{ subject, subjectWords: storedWords(subject) },
      },
    ]
  })
}

function changesOf(
  contact: DueContact,
  bookId: string,
  { actions }: Advance,
  ofRun: OfRun,
  now: number,
): Change[] {
  const sets = actions.filter((action) => action.kind === "set")
  if (sets.length === 0) return []
  const topics = Object.assign({}, ...sets.map((one) => one.topics))
  const after = { subscribed: contact.subscribed, topics: { ...contact.topics, ...topics } }
  const actor = { by: "sequence", actorId: null } as const
  return [
    {
      ...{ ...ofRun, bookId, contactId: contact.id },
      properties: JSON.stringify(Object.assign({}, ...sets.map((one) => one.properties))),
      topics: JSON.stringify(topics),
      entries: JSON.stringify(consentEntries(now, actor, contact, after)),
    },
  ]
}

const changeContacts = (work: Work, changes: readonly Change[]) => {
  const x = jsonFields<Change>()
  return work.db
    .update(contacts)
    .set({
      properties: sql`json_patch(${contacts.properties}, ${x.properties})`,
      topics: sql`json_patch(${contacts.topics}, ${x.topics})`,
      consents: sql`iif(${x.entries} = '[]', ${contacts.consents}, ${withEntries(x.entries)})`,
      updatedAt: sql`max(${work.now()}, ${contacts.updatedAt} + 1)`,
    })
    .from(sql`${jsonRows(changes)} cross join sequence_runs r on ${isAsRead(x)}` as never)
    .where(
      sql`${contacts.teamId} = ${x.teamId} and ${contacts.bookId} = ${x.bookId}
        and ${contacts.id} = ${x.contactId}`,
    )
}

function storeMail(work: Work, mails: readonly Mail[]): Statement[] {
  const x = jsonFields<Mail>()
  const these = sql`${jsonRows(mails)} cross join sequence_runs r on ${isAsRead(x)}`
  const written = sql`${these} cross join emails e on ${e.teamId} = ${x.teamId} and ${e.id} = ${x.id}`
  const inserted = insertEmails(
    {
      teamId: x.teamId,
      id: x.id,
      status: sql`'queued'`,
      sender: q.sender,
      recipients: sql`json_array(json_object('address', ${x.address}, 'as', 'to'))`,
      replyTo: sql`iif(${q.replyTo} is null, '[]', json_array(json(${q.replyTo})))`,
      subject: x.subject,
      subjectWords: x.subjectWords,
      domainId: q.domainId,
      campaignId: x.sequenceId,
      contactId: x.contactId,
      sequenceStep: sql`json_object('runId', ${x.runId}, 'version', ${x.version}, 'stepKey', ${x.stepKey})`,
      createdAt: x.createdAt,
      notBefore: 0,
    },
    sql`from ${these} cross join sequences q on ${q.teamId} = ${x.teamId} and ${q.id} = ${x.sequenceId}`,
  )
  return [
    afterCommit(
      work.db.all<{ teamId: string }>(sql`${inserted} returning team_id as teamId`),
      (work, stored) => {
        const [first] = stored
        return first && enqueueSends(work, [{ ...first, notBefore: work.now(), bulk: true }])
      },
    ),
    work.db.run(
      insertRecipientsOf(
        sql`from (select ${e.teamId}, ${e.id}, ${e.recipients} from ${written}) e`,
      ),
    ),
    work.db.run(
      insertInto(
        campaignBatches,
        {
          teamId: x.teamId,
          campaignId: x.sequenceId,
          id: sql`min(${e.id})`,
          emails: sql`json_group_array(${e.id})`,
        },
        sql`from ${written} group by ${x.teamId}, ${x.sequenceId}`,
      ),
    ),
  ]
}

function countSteps(work: Work, counted: readonly Counted[]) {
  const x = jsonFields<Counted>()
  const sum = (column: typeof x.entered) => sql`sum(${column})`
  const t = sequenceSteps
  return work.db.run(sql`
    ${insertInto(
      sequenceSteps,
      {
        ...{ teamId: x.teamId, sequenceId: x.sequenceId, stepKey: x.stepKey },
        ...{ entered: sum(x.entered), waiting: sum(x.waiting), ended: sum(x.ended) },
      },
      sql`from ${jsonRows(counted)} cross join sequence_runs r on ${isAsRead(x)} where true
        group by ${x.teamId}, ${x.sequenceId}, ${x.stepKey}`,
    )}
    on conflict do update set ${assignments(sequenceSteps, {
      entered: sql`${t.entered} + ${excluded(t.entered)}`,
      waiting: sql`${t.waiting} + ${excluded(t.waiting)}`,
      ended: sql`${t.ended} + ${excluded(t.ended)}`,
    })}`)
}

function countRuns(work: Work, moved: readonly Moved[]): Statement[] {
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
          from ${jsonRows(counting)} cross join sequence_runs r on ${isAsRead(x)}
          group by 1, 2) as added` as never,
      )
      .where(sql`${sequences.teamId} = added.team_id and ${sequences.id} = added.sequence_id`),
  ]
}

const moveRuns = (work: Work, moved: readonly Moved[]) => {
  const x = jsonFields<Moved>()
  const run = sequenceRuns
  return work.db.all<{ id: string }>(sql`
    update sequence_runs set ${assignments(sequenceRuns, {
      version: x.version,
      stepKey: x.stepKey,
      since: x.since,
      visit: sql`${run.visit} + 1`,
      state: x.state,
      endedBy: x.endedBy,
      heldReason: x.heldReason,
      dueAt: x.dueAt,
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

/** The events of a run, with the sequence without its steps: they may be long. */
function eventsOf(
  work: Work,
  { run, shared }: Decision,
  { actions, next }: Advance,
  moved: Moved,
): TeamEvent[] {
  const { steps: _, ...shown } = z.encode(sequenceShape, toSequence(shared.row))
  const record = z.encode(runShape, {
    ...moved,
    ...{ id: run.id, contactId: run.contactId, startedAt: run.startedAt },
  })
  const event = (verb: "started" | "finished" | "reached" | "held", stepKey: string | null) =>
    newEvent(work, run.teamId, `sequence.${verb}`, { sequence: shown, run: record, stepKey })
  return [
    ...(run.stepKey === null ? [event("started", null)] : []),
    ...actions.flatMap((one) => (one.kind === "notify" ? [event("reached", one.stepKey)] : [])),
    ...(next.state === "held" ? [event("held", next.stepKey)] : []),
    ...(next.state === "done" ? [event("finished", next.stepKey)] : []),
  ]
}

function storeRunEvents(work: Work, events: Written["events"]): Statement[] {
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
        sql`from ${jsonRows(events)} cross join sequence_runs r on ${isAsRead(x)}`,
      ),
      { teamIds: teamsOf(events), ...deliveryTimes(work.now()) },
    ),
  )
}
