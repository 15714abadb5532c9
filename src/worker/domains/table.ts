import { eq, inArray, isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"
import type { RoutingRule } from "../providers/cloudflare/email-routing.ts"
import { type DnsRecord, DOMAIN_STATUSES, NOT_RECEIVING, type Receiving } from "./contract.ts"

/** A DNS record that the service wrote at Cloudflare. */
export interface WrittenRecord {
  zoneId: string
  recordId: string
}

/** A domain at the provider of `NEXT_PROVIDER`. */
export interface NextIdentity {
  provider: string
  region: string | null
  records: DnsRecord[]
  verifiedAt: number | null
  lastError: string | null
}

/** What Cloudflare Email Routing had of a domain before mail was led here. */
export interface FoundRouting {
  isEnabled: boolean
  catchAll: RoutingRule | null
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
    /** The start of the 72 hours in which the domain has to be proven. */
    windowStartedAt: integer("window_started_at"),
    /** The time of the next check; null for a failed domain. */
    checkAt: integer("check_at"),
    /** The end of the lease of a running check. */
    checkingUntil: integer("checking_until"),
    writtenRecords: text("written_records", { mode: "json" })
      .$type<WrittenRecord[]>()
      .notNull()
      .default([]),
    /** Null until the next provider was asked. */
    next: text({ mode: "json" }).$type<NextIdentity>(),
    nextProvider: text("next_provider"),
    nextCheckAt: integer("next_check_at"),
    receiving: text({ mode: "json" }).$type<Receiving>().notNull().default(NOT_RECEIVING),
    /** Null unless Email Routing leads mail here. */
    routing: text({ mode: "json" }).$type<FoundRouting>(),
    routingCheckAt: integer("routing_check_at"),
    /** The end of the lease of a running check of the routing. */
    routingUntil: integer("routing_until"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    index("domains_next")
      .on(table.nextProvider, table.nextCheckAt)
      .where(isNotNull(table.nextProvider)),
    index("domains_routing").on(table.routingCheckAt).where(isNotNull(table.routingCheckAt)),
    index("domains_check_at").on(table.checkAt).where(isNotNull(table.checkAt)),
    uniqueIndex("domains_claimed")
      .on(table.name, table.teamId)
      .where(inArray(table.status, ["pending", "verified"])),
    uniqueIndex("domains_verified").on(table.name).where(eq(table.status, "verified")),
  ],
)

/** In the directory: the pending and verified domains of the teams of the other databases. */
export const domainClaims = sqliteTable(
  "domain_claims",
  {
    name: text().notNull(),
    teamId: text("team_id").notNull(),
    domainId: text("domain_id").notNull(),
    database: integer().notNull(),
    status: text({ enum: ["pending", "verified"] }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.name, table.teamId] }),
    uniqueIndex("domain_claims_verified").on(table.name).where(eq(table.status, "verified")),
  ],
)

export type DomainRow = typeof domains.$inferSelect

export const rows = [
  rowsOf("team", domains, {
    kept: [
      "name",
      "provider",
      "region",
      "records",
      "lastError",
      "writtenRecords",
      "next",
      "nextProvider",
      "receiving",
      "routing",
    ],
    isDeletedApart: true,
  }),
  rowsOf("directory", domainClaims),
]
