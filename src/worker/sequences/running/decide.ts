import { logError } from "../../../lib/log.ts"
import { MINUTE_MS } from "../../../lib/time.ts"
import { type Advance, advance, type Next, type Standing } from "../definition/advance.ts"
import { flowOf, relocate } from "../definition/flow.ts"
import type { Step } from "../definition/steps-contract.ts"
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
  /** The step that a person skips. */
  skipped: string | null
}

/** What a person asks of a run. */
export type Asked = "end" | "skip"

export function decide(run: DueRun, shared: SharedFacts, now: number, asked?: Asked): Decision {
  const { row, versions } = shared
  const unmoved = { run, shared, isRelocated: false, skipped: null }
  if (row.status === "paused" && !asked) return { ...unmoved, advance: null }
  if (asked === "end") return { ...unmoved, advance: ending(run, "person") }
  const from = run.version === row.version ? row.steps : (versions.get(run.version) ?? row.steps)
  const skipped = asked === "skip" ? (run.stepKey ?? flowOf(from).first) : null
  const standing = standingOf(run, { from, to: row.steps, skipped, now })
  if (standing === null) return { ...unmoved, skipped, advance: ending(run, "finished") }
  const isRelocated = standing.stepKey !== run.stepKey
  return { run, shared, isRelocated, skipped, advance: advanceOf(run, shared, standing, now) }
}

const ending = ({ stepKey }: DueRun, endedBy: RunEnd): Advance => ({
  passed: [],
  actions: [],
  next: { state: "done", stepKey, endedBy },
})

interface Steps {
  from: readonly Step[]
  to: readonly Step[]
  skipped: string | null
  now: number
}

/** Null where nothing is left of its steps. */
function standingOf(
  { stepKey, since }: DueRun,
  { from, to, skipped, now }: Steps,
): Standing | null {
  const wanted = skipped === null ? stepKey : flowOf(from).after(skipped)
  if (wanted === null) return skipped === null ? { stepKey, since } : null
  const key = relocate(from, to, wanted)
  if (key === null) return null
  return key === stepKey ? { stepKey, since } : { stepKey: key, since: now }
}

/** Runs are moved up to a minute after they are due, and later while very many are due. */
const IN_TIME_MS = 2 * MINUTE_MS

/** A run that is moved in time goes on as if it were moved when it was due, as in a simulation. */
const beginAtOf = ({ dueAt }: DueRun, now: number) =>
  dueAt !== null && dueAt <= now && dueAt > now - IN_TIME_MS ? dueAt : now

/** A fault of one run holds it, and no other. */
function advanceOf(run: DueRun, shared: SharedFacts, standing: Standing, now: number): Advance {
  const { definition, cannotSend, happened, erased } = shared
  const step =
    standing.stepKey === null ? undefined : flowOf(definition.steps).stepOf(standing.stepKey)
  const isSameStep = standing.stepKey === run.stepKey
  try {
    return advance(
      definition,
      standing,
      {
        contact: run.contact,
        isSuppressed: run.isSuppressed || erased.has(run.contactId),
        wantsTopic: run.wantsTopic,
        hasReplied: run.replied === 1,
        cannotSend,
        hasEvent:
          isSameStep && step?.kind === "waitFor" && step.event === run.waitsFor && run.hasEvent,
        happened: happened.get(run.contactId) ?? new Map(),
      },
      now,
      beginAtOf(run, now),
    )
  } catch (error) {
    logError(error, { run: run.id })
    const stepKey = standing.stepKey ?? flowOf(definition.steps).first ?? ""
    const next: Next = { state: "held", stepKey, since: now, reason: "The step failed." }
    return { passed: [], actions: [], next }
  }
}
