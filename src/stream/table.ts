import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import type { ToldChange } from "./history.ts"

export const unpublishedChanges = sqliteTable("unpublished_changes", {
  id: integer().primaryKey(),
  teamId: text("team_id").notNull(),
  changes: text({ mode: "json" }).$type<ToldChange[]>().notNull(),
})

export type KeptChanges = typeof unpublishedChanges.$inferSelect
