import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"

export const erasures = sqliteTable(
  "erasures",
  {
    teamId: text("team_id").notNull(),
    email: text().notNull(),
    requestedAt: integer("requested_at").notNull(),
    triedAt: integer("tried_at").notNull().default(0),
    position: text().notNull().default(""),
    receivedPosition: text("received_position").notNull().default(""),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.email] })],
)

/** An erasure deletes its own row. */
export const rows = [
  rowsOf("team", erasures, { along: ["email"], kept: ["position", "receivedPosition"] }),
]
