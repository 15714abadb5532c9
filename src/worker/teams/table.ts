import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const teams = sqliteTable("teams", {
  id: text().primaryKey(),
  name: text().notNull(),
  postalAddress: text("postal_address"),
  trackOpens: integer("track_opens", { mode: "boolean" }).notNull().default(false),
  trackClicks: integer("track_clicks", { mode: "boolean" }).notNull().default(false),
  createdAt: integer("created_at").notNull(),
})
