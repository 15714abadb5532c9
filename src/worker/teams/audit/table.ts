import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"
import { ACTOR_TYPES } from "./contract.ts"

type Noted = string | number | null

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
    changes: text({ mode: "json" }).$type<Record<string, [Noted, Noted]>>(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)

export const rows = [
  rowsOf("team", auditLog, {
    addresses: { label: "replaced", changes: "replaced" },
    kept: ["actorName", "action"],
  }),
]
