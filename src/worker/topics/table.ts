import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"
import { TOPIC_DEFAULTS } from "./contract.ts"

export const topics = sqliteTable(
  "topics",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    name: text().notNull(),
    description: text(),
    default: text("default_choice", { enum: TOPIC_DEFAULTS }).notNull().default("subscribed"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)

export const deletedTopics = sqliteTable(
  "deleted_topics",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    /** The last address that has no choice of the topic any more. */
    clearedTo: text("cleared_to").notNull().default(""),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)

/** The row of a deleted topic is there for minutes. */
export const rows = [
  rowsOf("team", topics, { kept: ["name", "description"] }),
  rowsOf("team", deletedTopics, { kept: ["clearedTo"] }),
]
