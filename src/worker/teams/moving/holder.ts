import { and, eq, lte } from "drizzle-orm"
import { SECOND_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { databaseEnv } from "../../platform/db/databases.ts"
import { createTriggers } from "./fence.ts"
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
  store(changes: Partial<MoveRow>): Promise<void>
  spend(queries: number): void
  /** Whether there is time, and more than this number of queries. */
  hasBudget(queries?: number): boolean
}

export class LostMove extends Error {
  override name = "LostMove"
}

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
  const holder: Holder = {
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
        .where(and(eq(teamMoves.teamId, teamId), eq(teamMoves.heldBy, heldBy)))
        .returning()
      if (!stored) throw new LostMove()
      row = stored
    },
    spend: (queries) => {
      left -= queries
    },
    hasBudget: (queries = 0) => left > queries && work.now() < startedAt + WITHIN_MS,
  }
  await Promise.all([holdFence(holder, holder.source), holdFence(holder, holder.target)])
  return holder
}

const holdFence = ({ teamId, heldBy }: Holder, db: D1Database) =>
  db.prepare("update team_fences set held_by = ? where team_id = ?").bind(heldBy, teamId).run()

/** Puts a fence up, with the triggers that it needs. */
export async function raiseFence(
  { teamId, heldBy, spend }: Holder,
  db: D1Database,
  mode: "log" | "closed",
  isDirectory: boolean,
): Promise<void> {
  const triggers = createTriggers(db, isDirectory)
  spend(triggers.length + 1)
  await db.batch([
    ...triggers,
    db
      .prepare(
        `insert into team_fences (team_id, mode, held_by) values (?, ?, ?)
         on conflict do update set mode = excluded.mode, held_by = excluded.held_by`,
      )
      .bind(teamId, mode, heldBy),
  ])
}

/** Closes a fence that stands, if the move still has this holder. */
export async function closeFence({ teamId, heldBy }: Holder, db: D1Database): Promise<void> {
  const { results } = await db
    .prepare("update team_fences set mode = 'closed' where team_id = ? and held_by = ? returning 1")
    .bind(teamId, heldBy)
    .all()
  if (results.length === 0) throw new LostMove()
}
