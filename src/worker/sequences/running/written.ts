import type { TeamEvent } from "../../webhooks/events/store.ts"
import type { RunEnd, RunState } from "../statuses.ts"

/** Every row names the visit of its run, and is written only if the run is still at that visit. */
export interface OfRun {
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
