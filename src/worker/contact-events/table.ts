import { isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import type { Properties } from "../contacts/shapes.ts"
import { rowsOf } from "../platform/db/rows.ts"

/** A row for each contact that the event counts for. They go when the contact does. */
export const contactEvents = sqliteTable(
  "contact_events",
  {
    teamId: text("team_id").notNull(),
    /** Has the time of the event. */
    id: text().notNull(),
    contactId: text("contact_id").notNull(),
    name: text().notNull(),
    at: integer().notNull(),
    properties: text({ mode: "json" }).$type<Properties>().notNull().default({}),
    idempotencyKey: text("idempotency_key"),
    fingerprint: text(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id, table.contactId] }),
    index("contact_events_contact").on(table.teamId, table.contactId, table.id),
    index("contact_events_key")
      .on(table.teamId, table.idempotencyKey)
      .where(isNotNull(table.idempotencyKey)),
  ],
)

export const rows = [
  rowsOf("team", contactEvents, { kept: ["name", "properties", "idempotencyKey", "fingerprint"] }),
]
