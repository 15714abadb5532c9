import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"

/** `address` is an erased one: its subject is the hash. */
export const REMOVAL_KINDS = ["address", "key", "member", "team"] as const

export const removals = sqliteTable(
  "removals",
  {
    teamId: text("team_id").notNull(),
    kind: text({ enum: REMOVAL_KINDS }).notNull(),
    subject: text().notNull(),
    removedAt: integer("removed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.kind, table.subject, table.removedAt] })],
)
export type Removal = typeof removals.$inferSelect

/** First the key of the last object of the bucket, then the last address that was compared. */
export type RepeatPosition = { key: string } | AddressPosition
export interface AddressPosition {
  /** Absent before the first page of a team. */
  team?: string
  /** Null after the last one. */
  place: string | null
  after: readonly string[]
}

export const removalRepeats = sqliteTable("removal_repeats", {
  id: integer().primaryKey(),
  requestedAt: integer("requested_at").notNull(),
  /** What was removed before this time is not in the restored database. */
  restoredTo: integer("restored_to").notNull(),
  position: text({ mode: "json" }).$type<RepeatPosition>(),
  keys: integer().notNull().default(0),
  members: integer().notNull().default(0),
  teams: integer().notNull().default(0),
  addresses: integer().notNull().default(0),
  finishedAt: integer("finished_at"),
})
export type RemovalRepeat = typeof removalRepeats.$inferSelect

export const repeatedErasures = sqliteTable(
  "repeated_erasures",
  {
    teamId: text("team_id").notNull(),
    erased: text().notNull(),
    removedAt: integer("removed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.erased] })],
)

export const rows = [
  rowsOf("team", repeatedErasures, { kept: ["erased"] }),
  rowsOf("team", removals, { kept: ["subject"], isDeletedApart: true }),
  rowsOf("installation", removalRepeats),
]
