import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"
import type { Block, Theme } from "../blocks/contract.ts"

export const layouts = sqliteTable(
  "layouts",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    name: text().notNull(),
    blocks: text({ mode: "json" }).$type<Block[]>().notNull(),
    theme: text({ mode: "json" }).$type<Theme>(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)

export const rows = [rowsOf("team", layouts, { kept: ["name", "blocks", "theme"], isLarge: true })]
