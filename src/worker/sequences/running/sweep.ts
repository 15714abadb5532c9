import { sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { leaveDatabaseToOthers } from "../../platform/db/leave-to-others.ts"
import { isTeamMoving } from "../../platform/http/errors.ts"
import { enqueueNow } from "../../platform/queues/messages.ts"
import { RUNS_ARE_DUE } from "../messages.ts"
import { sequenceRuns, sequences } from "../table.ts"
import { type Decision, decide } from "./decide.ts"
import { type DueRun, RUNS_A_PAGE, readDueRuns, withinSteps } from "./due.ts"
import { lookAtSequences } from "./look.ts"
import { readShared } from "./shared.ts"
import { writeDecisions } from "./write.ts"

/** An invocation makes some four calls of the database a page. What is left goes on in another one. */
const PAGES_AN_INVOCATION = 40

/** The minute and the hints of the queue both call it. Nobody does a step twice: see `writeDecisions`. */
export async function sweepSequences(work: Work): Promise<void> {
  // A look may read ten thousand contacts. Runs that are due do not wait for it.
  const isDone = await advanceDueRuns(work)
  const hasLooked = await lookAtSequences(work)
  if (isDone && hasLooked) await advanceDueRuns(work)
}

/** Moves the runs that are due, page by page. Answers whether it came to the end. */
export async function advanceDueRuns(work: Work): Promise<boolean> {
  for (let pages = 0; pages < PAGES_AN_INVOCATION; pages++) {
    if (!(await advancePage(work))) return true
    await leaveDatabaseToOthers()
  }
  await enqueueNow(work.env, [RUNS_ARE_DUE])
  return false
}

/** Whether more may be due that nobody else moves. */
async function advancePage(work: Work): Promise<boolean> {
  const due = await readDueRuns(work)
  if (due.length === 0) return false
  const runs = withinSteps(due)
  const shared = await readShared(work, runs)
  const lost = runs.filter(({ sequenceId }) => !shared.has(sequenceId))
  if (lost.length > 0) await deleteLostRuns(work, lost)
  const decided = runs.flatMap((run) => {
    const facts = shared.get(run.sequenceId)
    return facts ? decide(run, facts, work.now()) : []
  })
  const decisions = withoutSecondChanges(decided)
  try {
    const moved = await writeDecisions(work, decisions)
    // Another consumer is ahead and goes on. If it dies, the minute goes on.
    if (decisions.length > 0 && moved === 0) return false
  } catch (error) {
    // The next page leaves the team out.
    if (!isTeamMoving(error)) throw error
  }
  const isLeft = runs.length < due.length || decisions.length < decided.length
  return due.length === RUNS_A_PAGE || isLeft
}

/** One statement writes a contact once. A second run that changes it stays due, and then sees the first change. */
function withoutSecondChanges(decisions: readonly Decision[]): Decision[] {
  const changed = new Set<string>()
  return decisions.filter(({ run, advance }) => {
    if (!advance?.actions.some(({ kind }) => kind === "set")) return true
    const isFirst = !changed.has(run.contactId)
    changed.add(run.contactId)
    return isFirst
  })
}

/** Nobody can move a run without its sequence: it would stay due, and take the place of others. */
const deleteLostRuns = (work: Work, runs: readonly DueRun[]) => {
  const x = jsonFields<{ teamId: string; id: string }>()
  const these = jsonRows(runs.map(({ teamId, id }) => ({ teamId, id })))
  const run = sequenceRuns
  return work.db.delete(run).where(
    sql`(${run.teamId}, ${run.id}) in (select ${x.teamId}, ${x.id} from ${these})
      and not exists (select 1 from sequences
        where ${sequences.teamId} = ${run.teamId} and ${sequences.id} = ${run.sequenceId})`,
  )
}
