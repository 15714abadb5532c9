import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import type { Attempt } from "../webhooks/dashboard-contract.ts"
import { DELIVERY_STATES, EVENT_TYPES, type EventType } from "./types.ts"

export const webhooks = sqliteTable(
  "webhooks",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    url: text().notNull(),
    events: text({ mode: "json" }).$type<EventType[]>().notNull(),
    enabled: integer({ mode: "boolean" }).notNull(),
    failingSince: integer("failing_since"),
    disabledReason: text("disabled_reason"),
    secret: text().notNull(),
    /** Signs beside the new one until its time is over. */
    previousSecret: text("previous_secret"),
    previousSecretUntil: integer("previous_secret_until"),
    /** Null while the receiver answers in time; else the time before which no probe goes. */
    probeAt: integer("probe_at"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)
export type WebhookRow = typeof webhooks.$inferSelect

/** Deleted, with deliveries that are left. */
export const deletedWebhooks = sqliteTable(
  "deleted_webhooks",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
)

export const keyRotations = sqliteTable("key_rotations", {
  id: integer().primaryKey(),
  requestedAt: integer("requested_at").notNull(),
  /** The webhook that was sealed last. */
  teamId: text("team_id").notNull().default(""),
  webhookId: text("webhook_id").notNull().default(""),
})

export const eventSequences = sqliteTable("event_sequences", {
  teamId: text("team_id").primaryKey(),
  last: integer().notNull(),
})

export const events = sqliteTable(
  "events",
  {
    teamId: text("team_id").notNull(),
    sequence: integer().notNull(),
    id: text().notNull(),
    type: text({ enum: EVENT_TYPES }).notNull(),
    data: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    webhookId: text("webhook_id"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sequence] })],
)
export type EventRow = typeof events.$inferSelect

export const deliveries = sqliteTable(
  "deliveries",
  {
    teamId: text("team_id").notNull(),
    webhookId: text("webhook_id").notNull(),
    id: text().notNull(),
    /** Of the event. */
    sequence: integer().notNull(),
    eventId: text("event_id").notNull(),
    eventType: text("event_type", { enum: EVENT_TYPES }).notNull(),
    state: text({ enum: DELIVERY_STATES }).notNull(),
    attempts: text({ mode: "json" }).$type<Attempt[]>().notNull(),
    /** Nobody may claim it before: its next attempt, or the end of a lease. */
    notBefore: integer("not_before").notNull(),
    /** When the sweep takes it up if no message has; null once nothing is left to do. */
    dueAt: integer("due_at"),
    /** A replay or a backfill: made later than its event. */
    repeats: integer({ mode: "boolean" }),
    createdAt: integer("created_at").notNull(),
    completedAt: integer("completed_at"),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.webhookId, table.id] })],
)
export type DeliveryRow = typeof deliveries.$inferSelect
