import { and, eq, lte } from "drizzle-orm"
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core"
import { SECOND_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { databaseEnv } from "../../platform/db/databases.ts"
import { type MoveRow, teamMoves } from "./table.ts"

/** How long nobody else goes on with a move whose process died. */
const HELD_MS = 30 * SECOND_MS
const WITHIN_MS = 20 * SECOND_MS
/** An invocation may make a thousand queries. */
const MAX_QUERIES = 900

/** Who goes on with a move. A process that was slow, and has lost the move to another, writes nothing. */
export interface Holder {
  teamId: string
  heldBy: string
  readonly source: D1Database
  readonly target: D1Database
  /** As it was stored last. */
  row(): MoveRow
  /** Stores the next step. Throws if another process has the move. */
  store(changes: SQLiteUpdateSetSource<typeof teamMoves>): Promise<void>
  spend(queries: number): void
  /** Whether there is time, and more than this number of queries. */
  hasBudget(queries?: number): boolean
}

export class LostMove extends Error {
  override name = "LostMove"
}

/** A condition on a move: it is still this holder's. */
export const isHeldBy = ({ teamId, heldBy }: Pick<Holder, "teamId" | "heldBy">) =>
  and(eq(teamMoves.teamId, teamId), eq(teamMoves.heldBy, heldBy))

/** Undefined if another process has the move. */
export async function holdMove(work: Work, teamId: string): Promise<Holder | undefined> {
  const heldBy = crypto.randomUUID()
  const startedAt = work.now()
  let left = MAX_QUERIES
  const [taken] = await work.directory
    .update(teamMoves)
    .set({ heldBy, heldUntil: startedAt + HELD_MS })
    .where(and(eq(teamMoves.teamId, teamId), lte(teamMoves.heldUntil, startedAt)))
    .returning()
  if (!taken) return undefined
  let row = taken
  return {
    teamId,
    heldBy,
    get source() {
      return databaseEnv(work.env, row.source).DB
    },
    get target() {
      return databaseEnv(work.env, row.target).DB
    },
    row: () => row,
    async store(changes) {
      left--
      const [stored] = await work.directory
        .update(teamMoves)
        .set({ heldUntil: work.now() + HELD_MS, ...changes })
        .where(isHeldBy({ teamId, heldBy }))
        .returning()
      if (!stored) throw new LostMove()
      row = stored
    },
    spend: (queries) => {
      left -= queries
    },
    hasBudget: (queries = 0) => left > queries && work.now() < startedAt + WITHIN_MS,
  }
}
