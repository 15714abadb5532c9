import type { Work } from "../../platform/context.ts"
import { lookAtSequences } from "./look.ts"
import { advanceDueRuns } from "./page.ts"

/** The minute and the hints of the queue both call it. Nobody does a step twice: see `writeDecisions`. */
export async function sweepSequences(work: Work): Promise<void> {
  await lookAtSequences(work)
  await advanceDueRuns(work)
}
