import { rememberFor } from "../../../lib/remember.ts"
import { allSteps, listsIn, type Step } from "./steps-contract.ts"

/** Where each step leads. A null is the end of the sequence. */
export interface Flow {
  first: string | null
  stepOf(key: string): Step | undefined
  /** The step after this one and all that is inside of it. */
  after(key: string): string | null
}

export const flowOf = rememberFor(createFlow)

function createFlow(steps: readonly Step[]): Flow {
  const byKey = new Map(allSteps(steps).map((step) => [step.key, step]))
  const next = new Map<string, string | null>()
  const link = (list: readonly Step[], end: string | null) => {
    for (const [index, step] of list.entries()) {
      const after = list[index + 1]?.key ?? end
      next.set(step.key, after)
      for (const inner of listsIn(step)) link(inner, after)
    }
  }
  link(steps, null)
  return {
    first: steps[0]?.key ?? null,
    stepOf: (key) => byKey.get(key),
    after: (key) => next.get(key) ?? null,
  }
}

/**
 * Where a run goes on after a change of the steps: at its own step, or at the next one of the old
 * version that is still there. Null: the run is finished.
 */
export function relocate(
  from: readonly Step[],
  to: readonly Step[],
  key: string | null,
): string | null {
  if (key === null) return flowOf(to).first
  for (let at: string | null = key; at !== null; at = flowOf(from).after(at)) {
    if (flowOf(to).stepOf(at)) return at
  }
  return null
}

/** The steps that are no longer there, or say something else. Runs in them are looked at again. */
export function changedKeys(from: readonly Step[], to: readonly Step[]): string[] {
  const own = (step: Step | undefined) => step && JSON.stringify(withoutLists(step))
  return allSteps(from)
    .filter((step) => own(step) !== own(flowOf(to).stepOf(step.key)))
    .map(({ key }) => key)
}

function withoutLists(step: Step): object {
  if (step.kind === "waitFor") return { event: step.event, timeout: step.timeout }
  return step.kind === "branch" || step.kind === "split" ? { kind: step.kind } : step
}
