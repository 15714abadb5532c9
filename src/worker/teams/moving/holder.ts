import { and, eq, lte } from "drizzle-orm"
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core"
import { SECOND_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { databaseEnv } from "../../platform/db/databases.ts"
import { type MoveRow, teamMoves } from "./table.ts"

/** How long nobody else goes on with a move whose process died. */
const HELD_MS = 30 * SECOND_MS
const WITHIN_MS = 20 * SECOND_MS
/** An invocation may make a thousand queries, and triggers on all tables are 130. */
const MAX_QUERIES = 950
const LEFT_FOR_A_STEP = 300

/** The databases of a move. */
export type End = "source" | "target"

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
  storePosition(table: number, after?: unknown[] | null, copied?: number): Promise<void>
  spend(queries: number): void
  hasBudget(): boolean
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
  async function store(changes: SQLiteUpdateSetSource<typeof teamMoves>) {
    left--
    const [stored] = await work.directory
      .update(teamMoves)
      .set({ heldUntil: work.now() + HELD_MS, ...changes })
      .where(isHeldBy({ teamId, heldBy }))
      .returning()
    if (!stored) throw new LostMove()
    row = stored
  }
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
    store,
    storePosition: (table, after = null, copied = 0) =>
      store({ position: { table, after, at: work.now() }, moved: row.moved + copied }),
    spend: (queries) => {
      left -= queries
    },
    hasBudget: () => left > LEFT_FOR_A_STEP && work.now() < startedAt + WITHIN_MS,
  }
}
