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
  const waits: number[] = []
  for (const { teamId } of moves)
    waits.push(...[await advanceMove(work, teamId)].filter((wait) => wait !== null))
  if (waits.length > 0) await enqueueMoves(work, Math.min(...waits))
}
