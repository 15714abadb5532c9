import { derivedId } from "../../../lib/id.ts"
import { renderSubject } from "../../campaigns/body.ts"
import { consentEntries } from "../../contacts/consents/consents.ts"
import { storedWords } from "../../emails/word-index/subject-words.ts"
import type { Work } from "../../platform/context.ts"
import type { Advance } from "../definition/advance.ts"
import { flowOf } from "../definition/flow.ts"
import type { SendStep } from "../definition/steps-contract.ts"
import type { HistoryEntry } from "../table.ts"
import type { Decision } from "./decide.ts"
import { eventsOf } from "./decided-events.ts"
import type { DueContact } from "./due.ts"
import type { Change, Counted, Mail, Moved, OfRun, Written } from "./written.ts"

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
    events: eventsOf(work, decision, advance, moved).map((event) => ({ ...event, ...ofRun })),
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
