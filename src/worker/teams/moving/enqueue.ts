import { and, eq, isNotNull, ne, not, or, type SQL, sql } from "drizzle-orm"
import { HOUR_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { DIRECTORY, databaseEnv, databaseNumber, hasOthers } from "../../platform/db/databases.ts"
import { isOneOf, jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { isDueBy } from "../../platform/queues/due-work.ts"
import { enqueueNow } from "../../platform/queues/messages.ts"
import { teamFences, teamMoves } from "./table.ts"

/** A hint of the queue `minutes` to go on with the moves of teams. */
export interface MovesMessage {
  kind: "minutes"
  moves: true
}

export const enqueueMoves = (work: Work, delaySeconds = 0): Promise<void> =>
  enqueueNow<MovesMessage>(
    databaseEnv(work.env, DIRECTORY),
    [{ kind: "minutes", moves: true }],
    delaySeconds,
  )

/** The source keeps its fence for this time: calls that began before the move may still write. */
export const KEPT_MS = HOUR_MS

/** A move that does not only wait until the source's fence is taken down. */
export const isDue = ({ now }: Pick<Work, "now">) =>
  or(ne(teamMoves.phase, "kept"), isDueBy(teamMoves.deleteAt, now(), KEPT_MS))

/** Each minute: an invocation of its own goes on with the moves, if there are any. */
export async function sweepMoves(work: Work): Promise<void> {
  if (!hasOthers(work.env)) return
  const [first] = await work.directory
    .select({ id: teamMoves.teamId })
    .from(teamMoves)
    .where(isDue(work))
    .limit(1)
  if (first) await enqueueMoves(work)
}

/**
 * Takes down fences that no move has put up: a process that had lost its move may have died behind
 * one, and a restore may have brought one back.
 */
export async function sweepFences(work: Work): Promise<void> {
  if (!hasOthers(work.env)) return
  const fences = await work.db
    .select({ teamId: teamFences.teamId, heldBy: teamFences.heldBy, mode: teamFences.mode })
    .from(teamFences)
  if (fences.length === 0) return
  const ids = fences.map(({ teamId }) => teamId)
  // Once a move has opened its target, no fence is needed there.
  const isOpened = and(
    eq(teamMoves.target, databaseNumber(work.env)),
    isNotNull(teamMoves.openedAt),
  ) as SQL
  const moves = await work.directory
    .select({ teamId: teamMoves.teamId })
    .from(teamMoves)
    .where(and(isOneOf(teamMoves.teamId, ids), not(isOpened)))
  const moving = new Set(moves.map(({ teamId }) => teamId))
  const left = fences.filter(({ teamId }) => !moving.has(teamId))
  if (left.length === 0) return
  const x = jsonFields<(typeof left)[number]>()
  await work.db.delete(teamFences).where(sql`exists (
    select 1 from ${jsonRows(left)}
    where ${x.teamId} = ${teamFences.teamId} and ${x.heldBy} is ${teamFences.heldBy}
      and ${x.mode} = ${teamFences.mode})`)
}
