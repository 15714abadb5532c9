import { isNotNull } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../db/rows.ts"
import type { QueueMessage } from "./messages.ts"

export const deadLetters = sqliteTable(
  "dead_letters",
  {
    id: text().primaryKey(),
    queue: text().notNull(),
    body: text({ mode: "json" }).$type<QueueMessage>().notNull(),
    createdAt: integer("created_at").notNull(),
    replayAt: integer("replay_at"),
    replayedAt: integer("replayed_at"),
  },
  (table) => [index("dead_letters_replay").on(table.replayAt).where(isNotNull(table.replayAt))],
)

export const rows = [
  rowsOf("installation", deadLetters, { addresses: { body: "searched" }, isLarge: true }),
]
