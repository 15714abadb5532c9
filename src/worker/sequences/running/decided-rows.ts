import * as z from "zod"
import { derivedId } from "../../../lib/id.ts"
import { renderSubject } from "../../campaigns/body.ts"
import { consentEntries } from "../../contacts/consents/consents.ts"
import { contactEvent } from "../../contacts/events.ts"
import { nameKeys } from "../../contacts/search.ts"
import { storedWords } from "../../emails/word-index/subject-words.ts"
import type { Work } from "../../platform/context.ts"
import { newEvent, type TeamEvent } from "../../webhooks/events/store.ts"
import { sequence as sequenceShape } from "../contract.ts"
import type { Advance } from "../definition/advance.ts"
import { flowOf } from "../definition/flow.ts"
import type { SendStep } from "../definition/steps-contract.ts"
import { run as runShape } from "../runs/contract.ts"
import type { RunEnd, RunState } from "../statuses.ts"
import type { HistoryEntry } from "../table.ts"
import { toSequence } from "../view.ts"
import type { Decision } from "./decide.ts"
import type { DueContact } from "./due.ts"

/** Every row names the visit of its run: it is written only if the run is still there. */
interface OfRun {
  teamId: string
  runId: string
  visit: number
}

export interface Moved extends OfRun {
  sequenceId: string
  bookId: string
  contactId: string
  /** As the decision knows it. Null where it changes the contact itself, or there is none. */
  contactUpdatedAt: number | null
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

export interface Mail extends OfRun {
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

export interface Counted extends OfRun {
  sequenceId: string
  stepKey: string
  entered: number
  waiting: number
  ended: number
}

export interface Change extends OfRun {
  bookId: string
  contactId: string
  properties: string
  topics: string
  entries: string
}

export interface Written {
  moved: Moved[]
  mails: Mail[]
  counted: Counted[]
  changes: Change[]
  events: (TeamEvent & OfRun)[]
}

/** The rows that a decision writes. */
export function rowsOf(work: Work, decision: Decision): Written {
  const { run, advance } = decision
  const now = work.now()
  const ofRun: OfRun = { teamId: run.teamId, runId: run.id, visit: run.visit }
  const unchanged = {
    ...ofRun,
    sequenceId: run.sequenceId,
    bookId: run.bookId,
    contactId: run.contactId,
    contactUpdatedAt: null,
    version: run.version,
    stepKey: run.stepKey,
    since: run.since,
    state: "waiting",
    endedBy: null,
    heldReason: null,
    endedAt: null,
    dueAt: null,
    waitsFor: run.waitsFor,
    entries: "[]",
    entered: 0,
    finished: 0,
    ended: 0,
  } satisfies Moved
  if (!advance) return { moved: [unchanged], mails: [], counted: [], changes: [], events: [] }
  const mails = mailsOf(work, decision, advance, ofRun)
  const changes = run.contact ? changesOf(run.contact, run.bookId, advance, ofRun, now) : []
  const moved = {
    ...unchanged,
    ...movedBy(decision, advance, now, mails),
    contactUpdatedAt: changes.length === 0 && run.contact ? run.contact.updatedAt : null,
  }
  return {
    moved: [moved],
    mails,
    counted: countedBy(decision, advance).map((one) => ({
      ...ofRun,
      sequenceId: run.sequenceId,
      ...one,
    })),
    changes,
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
      teamId: run.teamId,
      bookId: run.bookId,
      ...nameKeys(contact),
      updatedAt: now,
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
  { run, shared, skipped }: Decision,
  { passed, next }: Advance,
  now: number,
  mails: readonly Mail[],
): Partial<Moved> {
  const bySkip = skipped === null ? [] : [{ stepKey: skipped, outcome: "skipped" }]
  const entries = [...bySkip, ...passed].map(
    ({ stepKey, outcome }): HistoryEntry => ({
      stepKey,
      outcome,
      at: now,
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
      stepKey: null,
      since: now,
      state: "done",
      endedBy: next.endedBy,
      endedAt: now,
      finished: Number(isFinished),
      ended: Number(!isFinished),
    }
  }
  const { stepKey, since } = next
  if (next.state === "held") {
    return { ...common, stepKey, since, state: "held", heldReason: next.reason }
  }
  return { ...common, stepKey, since, dueAt: next.dueAt, waitsFor: next.waitsFor }
}

/** How the numbers of steps change. */
function countedBy(
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
      stepKey,
      entered: Number(!stays(stepKey)),
      ended: 0,
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
        ...ofRun,
        sequenceId: run.sequenceId,
        version: shared.row.version,
        stepKey: step.key,
        id: derivedId("email", work.now(), `${run.id} ${step.key} ${run.visit}`),
        createdAt: work.now(),
        contactId: run.contactId,
        address: run.contact.email,
        subject,
        subjectWords: storedWords(subject),
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
      ...ofRun,
      bookId,
      contactId: contact.id,
      properties: JSON.stringify(Object.assign({}, ...sets.map((one) => one.properties))),
      topics: JSON.stringify(topics),
      entries: JSON.stringify(consentEntries(now, actor, contact, after)),
    },
  ]
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
    id: run.id,
    contactId: run.contactId,
    startedAt: run.startedAt,
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
