import { sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../db/rows.ts"

/** In the directory: what the installation keeps of itself. */
export const installation = sqliteTable("installation", {
  name: text({ enum: ["BASE_URL", "migrated"] }).primaryKey(),
  value: text().notNull(),
})

export const rows = [rowsOf("installation", installation)]
