import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"

/**
 * `emptying`: rows that an earlier move left in the target are deleted. `draining`: the team works, but
 * nobody claims its mail and deliveries, and the last leases end. `copying`: nobody writes. `switched`:
 * the team is in the target, and the source is deleted. `kept`: only the source's fence is left.
 * `deleting`: rows that a restore brought back are deleted, then the fence. `cancelling`: the copy is
 * deleted again.
 */
const PHASES = [
  "emptying",
  "draining",
  "copying",
  "switched",
  "kept",
  "deleting",
  "cancelling",
] as const
export type Phase = (typeof PHASES)[number]

/** How far a phase has come: the table, the key of its last row, and when. */
interface Position {
  table: number
  after: unknown[] | null
  at: number
}

/** In the directory: teams that are moved to another database, until the source's fence is taken down. */
export const teamMoves = sqliteTable("team_moves", {
  teamId: text("team_id").primaryKey(),
  source: integer().notNull(),
  target: integer().notNull(),
  phase: text({ enum: PHASES }).notNull(),
  position: text({ mode: "json" }).$type<Position>(),
  moved: integer().notNull().default(0),
  requestedAt: integer("requested_at").notNull(),
  fencedAt: integer("fenced_at"),
  openedAt: integer("opened_at"),
  deleteAt: integer("delete_at"),
  thenTo: integer("then_to"),
  lastError: text("last_error"),
  heldBy: text("held_by"),
  heldUntil: integer("held_until").notNull().default(0),
})
export type MoveRow = typeof teamMoves.$inferSelect

/**
 * In the source and the target of a move. `draining`: no claim and no sweep takes anything of the team.
 * `closed`: triggers also refuse to write its rows, apart from a batch of the move, which makes it `open`
 * meanwhile. `left`: the same as `closed`, where nothing of the team is left.
 */
export const teamFences = sqliteTable("team_fences", {
  teamId: text("team_id").primaryKey(),
  mode: text({ enum: ["draining", "closed", "open", "left"] }).notNull(),
  heldBy: text("held_by"),
})

/** Not used any more: earlier versions moved a team while it worked. */
export const movedRows = sqliteTable("moved_rows", {
  id: integer().primaryKey({ autoIncrement: true }),
  teamId: text("team_id").notNull(),
  tableName: text("table_name").notNull(),
  rowKey: text("row_key").notNull(),
})

export const rows = [teamMoves, teamFences, movedRows].map((table) => rowsOf("installation", table))
