import { isNull } from "drizzle-orm"
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"
import { PERMISSIONS } from "./contract.ts"

export const apiKeys = sqliteTable(
  "api_keys",
  {
    secretHash: text("secret_hash").primaryKey(),
    id: text().notNull(),
    teamId: text("team_id").notNull(),
    name: text().notNull(),
    permission: text({ enum: PERMISSIONS }).notNull(),
    keyPrefix: text("key_prefix").notNull(),
    domainId: text("domain_id"),
    lastUsedAt: integer("last_used_at"),
    createdAt: integer("created_at").notNull(),
    revokedAt: integer("revoked_at"),
  },
  (table) => [
    uniqueIndex("api_keys_live").on(table.teamId, table.id).where(isNull(table.revokedAt)),
  ],
)

/** In the directory: the keys of the teams of the other databases. */
export const keyTeams = sqliteTable("key_teams", {
  secretHash: text("secret_hash").primaryKey(),
  teamId: text("team_id").notNull(),
})

export const rows = [
  rowsOf("team", apiKeys, { kept: ["secretHash", "name", "keyPrefix"], isDeletedApart: true }),
  rowsOf("directory", keyTeams),
]
