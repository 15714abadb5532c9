import { sql } from "drizzle-orm"
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"
import type { Brand } from "./brand-contract.ts"

export const teams = sqliteTable("teams", {
  id: text().primaryKey(),
  name: text().notNull(),
  postalAddress: text("postal_address"),
  trackOpens: integer("track_opens", { mode: "boolean" }).notNull().default(false),
  trackClicks: integer("track_clicks", { mode: "boolean" }).notNull().default(false),
  requireSecondFactor: integer("require_second_factor", { mode: "boolean" })
    .notNull()
    .default(false),
  brand: text({ mode: "json" }).$type<Brand>(),
  createdAt: integer("created_at").notNull(),
})

/** In the directory: the teams of the other databases. */
export const teamDatabases = sqliteTable("team_databases", {
  teamId: text("team_id").primaryKey(),
  name: text().notNull(),
  requireSecondFactor: integer("require_second_factor", { mode: "boolean" })
    .notNull()
    .default(false),
  database: integer().notNull(),
  createdAt: integer("created_at").notNull(),
})

/** In the directory, where one of the two is joined. */
export const TEAM_NAME = sql<string>`coalesce(${teams.name}, ${teamDatabases.name})`
export const REQUIRES_SECOND_FACTOR = sql<number>`coalesce(${teams.requireSecondFactor},
  ${teamDatabases.requireSecondFactor}, 0)`

export const rows = [
  rowsOf("team", teams, { kept: ["name", "postalAddress", "brand"], isDeletedApart: true }),
  rowsOf("directory", teamDatabases),
]
