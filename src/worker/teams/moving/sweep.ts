import { asc } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { DIRECTORY, workIn } from "../../platform/db/databases.ts"
import { advanceMove } from "./advance.ts"
import { enqueueMoves, isDue } from "./enqueue.ts"
import { teamMoves } from "./table.ts"

/** Goes on with all moves, a round each. */
export async function advanceMoves(given: Work): Promise<void> {
  const work = workIn(given, DIRECTORY)
  const moves = await work.directory
    .select({ teamId: teamMoves.teamId })
    .from(teamMoves)
    .where(isDue(work))
    .orderBy(asc(teamMoves.requestedAt))
  let shortest: number | null = null
  for (const { teamId } of moves) {
    const wait = await advanceMove(work, teamId)
    if (wait !== null) shortest = Math.min(wait, shortest ?? wait)
  }
  if (shortest !== null) await enqueueMoves(work, shortest)
}
