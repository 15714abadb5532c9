import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/**
 * `emptying`: rows that an earlier move left in the target are deleted. `copying`: the team works
 * meanwhile. `fenced`: nobody writes. `switched`: the team is in the target. `kept`: the rest of the
 * source waits for its deletion. `cancelling`: the copy is deleted again.
 */
export const PHASES = [
  "emptying",
  "copying",
  "fenced",
  "switched",
  "kept",
  "deleting",
  "cancelling",
] as const
export type Phase = (typeof PHASES)[number]

/** How far a phase has come: the table, and the key of its last row. */
export interface Position {
  table: number
  after: unknown[] | null
}

/** In the directory: teams that are moved to another database, until the source has been deleted. */
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
 * In the source and the target of a move: what the triggers do with writes of the team's rows.
 * `log` notes their keys, `closed` refuses them. Within one batch, `open` lets the move write, and
 * `skip` leaves the team out of statements about many teams.
 */
export const teamFences = sqliteTable("team_fences", {
  teamId: text("team_id").primaryKey(),
  mode: text({ enum: ["log", "closed", "open", "skip"] }).notNull(),
  heldBy: text("held_by"),
})

/** In the source: the keys of rows that changed since they were copied. */
export const movedRows = sqliteTable("moved_rows", {
  id: integer().primaryKey({ autoIncrement: true }),
  teamId: text("team_id").notNull(),
  tableName: text("table_name").notNull(),
  rowKey: text("row_key").notNull(),
})
