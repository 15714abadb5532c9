import { eq, inArray, isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { type DnsRecord, DOMAIN_STATUSES } from "./contract.ts"

/** A DNS record that the service wrote at Cloudflare. */
export interface WrittenRecord {
  zoneId: string
  recordId: string
}

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
    records: text({ mode: "json" }).$type<DnsRecord[]>().notNull().default([]),
    lastError: text("last_error"),
    createdAt: integer("created_at").notNull(),
    verifiedAt: integer("verified_at"),
    /** When its 72 hours to be proven began. */
    windowStartedAt: integer("window_started_at"),
    /** When it is checked next; null once it has failed. */
    checkAt: integer("check_at"),
    /** The lease of the check that is under way. */
    checkingUntil: integer("checking_until"),
    writtenRecords: text("written_records", { mode: "json" })
      .$type<WrittenRecord[]>()
      .notNull()
      .default([]),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    index("domains_check_at").on(table.checkAt).where(isNotNull(table.checkAt)),
    uniqueIndex("domains_claimed")
      .on(table.name, table.teamId)
      .where(inArray(table.status, ["pending", "verified"])),
    uniqueIndex("domains_verified").on(table.name).where(eq(table.status, "verified")),
  ],
)

export type DomainRow = typeof domains.$inferSelect
