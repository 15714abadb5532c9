import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"
import type { ViewQuery } from "./query.ts"

export const savedViews = sqliteTable(
  "saved_views",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    name: text().notNull(),
    nameKey: text("name_key").notNull(),
    query: text({ mode: "json" }).$type<ViewQuery>().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)

export const rows = [
  rowsOf("team", savedViews, {
    addresses: { name: "deletes", query: "deletes" },
    along: ["nameKey"],
    kept: ["createdBy"],
  }),
]
