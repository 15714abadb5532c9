import { logError } from "../../../lib/log.ts"
import { type Advance, advance, type Next, type Standing } from "../definition/advance.ts"
import { flowOf, relocate } from "../definition/flow.ts"
import type { RunEnd } from "../statuses.ts"
import type { DueRun } from "./due.ts"
import type { SharedFacts } from "./shared.ts"

/** A run and what becomes of it. Without `advance`, it waits until its sequence goes on. */
export interface Decision {
  run: DueRun
  shared: SharedFacts
  advance: Advance | null
  /** It came to its step by a change of the steps, or because a person skipped one. */
  isRelocated: boolean
}

/** What a person asks of a run. */
export type Asked = "end" | "skip"

export function decide(run: DueRun, shared: SharedFacts, now: number, asked?: Asked): Decision {
  const { row } = shared
  if (row.status === "paused" && !asked) {
    return { run, shared, advance: null, isRelocated: false }
  }
  const standing = standingOf(run, shared, now, asked)
  const isRelocated = standing !== null && standing.stepKey !== run.stepKey
  const done = (endedBy: RunEnd) => ending(run, endedBy)
  if (asked === "end") return { run, shared, advance: done("person"), isRelocated: false }
  if (standing === null) return { run, shared, advance: done("finished"), isRelocated: false }
  return { run, shared, isRelocated, advance: advanceOf(run, shared, standing, now) }
}

const ending = ({ stepKey }: DueRun, endedBy: RunEnd): Advance => ({
  passed: [],
  actions: [],
  next: { state: "done", stepKey, endedBy },
})

/** Null where nothing is left of its steps. */
function standingOf(
  { stepKey, since, version }: DueRun,
  { row, versions }: SharedFacts,
  now: number,
  asked: Asked | undefined,
): Standing | null {
  if (stepKey === null && asked !== "skip") return { stepKey, since }
  const from = version === row.version ? row.steps : (versions.get(version) ?? row.steps)
  const start = stepKey ?? flowOf(from).first
  const wanted = asked === "skip" && start !== null ? flowOf(from).after(start) : start
  if (wanted === null) return null
  const key = relocate(from, row.steps, wanted)
  if (key === null) return null
  return key === stepKey ? { stepKey, since } : { stepKey: key, since: now }
}

/** A fault of one run holds it, and no other. */
function advanceOf(run: DueRun, shared: SharedFacts, standing: Standing, now: number): Advance {
  const { definition, cannotSend, happened } = shared
  const step =
    standing.stepKey === null ? undefined : flowOf(definition.steps).stepOf(standing.stepKey)
  const isSameStep = standing.stepKey === run.stepKey
  try {
    return advance(
      definition,
      standing,
      {
        contact: run.contact,
        isSuppressed: run.isSuppressed,
        wantsTopic: run.wantsTopic,
        hasReplied: run.replied === 1,
        cannotSend,
        hasEvent:
          isSameStep && step?.kind === "waitFor" && step.event === run.waitsFor && run.hasEvent,
        happened: happened.get(run.contactId) ?? new Map(),
      },
      now,
    )
  } catch (error) {
    logError(error, { run: run.id })
    const stepKey = standing.stepKey ?? flowOf(definition.steps).first ?? ""
    const next: Next = { state: "held", stepKey, since: now, reason: "The step failed." }
    return { passed: [], actions: [], next }
  }
}
