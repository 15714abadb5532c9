import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { ACTOR_TYPES } from "./contract.ts"

export const auditLog = sqliteTable(
  "audit_log",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    at: integer().notNull(),
    actorType: text("actor_type", { enum: ACTOR_TYPES }).notNull(),
    actorId: text("actor_id"),
    actorName: text("actor_name"),
    action: text().notNull(),
    objectId: text("object_id"),
    label: text(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)
