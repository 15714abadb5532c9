import * as z from "zod"
import { contactEvent } from "../../contacts/events.ts"
import { nameKeys } from "../../contacts/search.ts"
import type { Work } from "../../platform/context.ts"
import { newEvent, type TeamEvent } from "../../webhooks/events/store.ts"
import { sequence as sequenceShape } from "../contract.ts"
import type { Advance } from "../definition/advance.ts"
import { run as runShape } from "../runs/contract.ts"
import { toSequence } from "../view.ts"
import type { Decision } from "./decide.ts"
import type { Moved } from "./written.ts"

/** What a decision tells of the run, and of the contact that it changes. */
export const eventsOf = (
  work: Work,
  decision: Decision,
  advance: Advance,
  moved: Moved,
): TeamEvent[] => [
  ...runEvents(work, decision, advance, moved),
  ...contactEvents(work, decision, advance),
]

/** The sequence is told without its steps: they may be long. */
function runEvents(
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

function contactEvents(work: Work, { run }: Decision, { actions }: Advance): TeamEvent[] {
  const sets = actions.filter((action) => action.kind === "set")
  const { contact } = run
  if (!contact || sets.length === 0) return []
  const changed = {
    ...contact,
    teamId: run.teamId,
    bookId: run.bookId,
    ...nameKeys(contact),
    updatedAt: work.now(),
    properties: Object.assign({}, contact.properties, ...sets.map(({ properties }) => properties)),
    topics: Object.assign({}, contact.topics, ...sets.map(({ topics }) => topics)),
  }
  return [contactEvent(work, "updated", changed)]
}
