import type { Work } from "../../platform/context.ts"
import { lookAtSequences } from "./look.ts"
import { advanceDueRuns } from "./page.ts"

/** The minute and the hints of the queue both call it. Nobody does a step twice: see `writeDecisions`. */
export async function sweepSequences(work: Work): Promise<void> {
  // A look may read ten thousand contacts. Runs that are due do not wait for it.
  const isDone = await advanceDueRuns(work)
  const hasLooked = await lookAtSequences(work)
  if (isDone && hasLooked) await advanceDueRuns(work)
}
