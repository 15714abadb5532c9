import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { DOMAIN_STATUSES } from "./contract.ts"

export const domains = sqliteTable(
  "domains",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    name: text().notNull(),
    status: text({ enum: DOMAIN_STATUSES }).notNull(),
    provider: text().notNull(),
    region: text(),
    dnsMode: text("dns_mode", { enum: ["auto", "manual"] })
      .notNull()
      .default("manual"),
    records: text({ mode: "json" }).notNull().default([]),
    lastError: text("last_error"),
    createdAt: integer("created_at").notNull(),
    verifiedAt: integer("verified_at"),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)
