import { isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"
import type { SegmentFilter } from "./filter.ts"

export const segments = sqliteTable(
  "segments",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    bookId: text("book_id").notNull(),
    name: text().notNull(),
    filter: text({ mode: "json" }).$type<SegmentFilter>().notNull(),
    contactCount: integer("contact_count"),
    /** Of them, the contacts that are subscribed and not suppressed. */
    eligibleCount: integer("eligible_count"),
    countedAt: integer("counted_at"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** A count that goes on: when it is due, how far it came, and what it has found. */
    countDueAt: integer("count_due_at"),
    countCursor: text("count_cursor"),
    found: integer().notNull().default(0),
    foundEligible: integer("found_eligible").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    index("segments_book").on(table.teamId, table.bookId),
    index("segments_count_due").on(table.countDueAt).where(isNotNull(table.countDueAt)),
  ],
)

export type SegmentRow = typeof segments.$inferSelect

export const rows = [
  rowsOf("team", segments, {
    addresses: { name: "replaced", filter: "replaced" },
    kept: ["countCursor"],
  }),
]
