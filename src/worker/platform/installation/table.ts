import { sqliteTable, text } from "drizzle-orm/sqlite-core"

/** In the directory: what the installation keeps of itself. */
export const installation = sqliteTable("installation", {
  name: text({ enum: ["BASE_URL", "migrated"] }).primaryKey(),
  value: text().notNull(),
})
