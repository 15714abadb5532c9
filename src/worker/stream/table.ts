import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"
import type { ToldChange } from "./history.ts"

export const streamOutbox = sqliteTable(
  "stream_outbox",
  {
    teamId: text("team_id").notNull(),
    /** Time-ordered. The stream publishes each id once. */
    id: text().notNull(),
    changes: text({ mode: "json" }).$type<ToldChange[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)

export const rows = [rowsOf("team", streamOutbox, { kept: ["changes"] })]
