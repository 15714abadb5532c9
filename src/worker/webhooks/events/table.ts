import { eq, gt, inArray, isNotNull, sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"
import type { Attempt } from "../deliveries/contract.ts"
import { DELIVERY_STATES, EVENT_TYPES, type EventType, WEBHOOK_FORMATS } from "./types.ts"

export const webhooks = sqliteTable(
  "webhooks",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    name: text(),
    url: text().notNull(),
    events: text({ mode: "json" }).$type<EventType[]>().notNull(),
    enabled: integer({ mode: "boolean" }).notNull().default(true),
    failingSince: integer("failing_since"),
    disabledReason: text("disabled_reason"),
    secret: text().notNull(),
    /** Signs beside the new secret until `previousSecretUntil`. */
    previousSecret: text("previous_secret"),
    previousSecretUntil: integer("previous_secret_until"),
    /** It gets no attempt until then, and one at a time afterwards. Null while the receiver answers in time. */
    restsUntil: integer("probe_at"),
    /** The number of the last event when `deliverUntil` was set. */
    position: integer(),
    /** Events above this number wait for room and have no delivery yet. Null: not counted yet. */
    deliverUntil: integer("deliver_until"),
    /** When it was disabled: what was pending then counts as failed. Negative once the rows say so. */
    droppedAt: integer("dropped_at").notNull().default(0),
    format: text({ enum: WEBHOOK_FORMATS }).notNull().default("edgepost"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    index("webhooks_failing")
      .on(table.failingSince)
      .where(sql`${table.enabled} = 1 and ${table.failingSince} is not null`),
    index("webhooks_held").on(table.restsUntil).where(isNotNull(table.restsUntil)),
    index("webhooks_dropped").on(table.teamId, table.id).where(gt(table.droppedAt, sql`0`)),
  ],
)
export type WebhookRow = typeof webhooks.$inferSelect

/** Deleted webhooks whose deliveries are not all deleted yet. */
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
  /** The webhook or form whose secret was sealed last. */
  teamId: text("team_id").notNull().default(""),
  ownerId: text("webhook_id").notNull().default(""),
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
  (table) => [
    primaryKey({ columns: [table.teamId, table.sequence] }),
    uniqueIndex("events_id").on(table.teamId, table.id),
    index("events_contact")
      .on(table.teamId, sql`${table.data} ->> '$.contact.email'`)
      .where(sql`substr(${table.type}, 1, 8) = 'contact.'`),
  ],
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
    state: text({ enum: DELIVERY_STATES }).notNull().default("pending"),
    attempts: text({ mode: "json" }).$type<Attempt[]>().notNull().default([]),
    /** The earliest time of a claim: the next attempt, or the end of a lease. */
    notBefore: integer("not_before").notNull(),
    /** When the sweep takes the delivery if no message has come. Null once it has ended. */
    dueAt: integer("due_at"),
    /** A replay or a backfill: made later than its event. */
    repeats: integer({ mode: "boolean" }),
    createdAt: integer("created_at").notNull(),
    completedAt: integer("completed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.webhookId, table.id] }),
    index("deliveries_due").on(table.webhookId, table.dueAt).where(isNotNull(table.dueAt)),
    index("deliveries_repeats").on(table.webhookId, table.sequence).where(eq(table.repeats, true)),
    index("deliveries_failed")
      .on(table.teamId, table.webhookId, table.id)
      .where(inArray(table.state, ["failed", "exhausted"])),
  ],
)
export type DeliveryRow = typeof deliveries.$inferSelect

/** Primary keys in raw SQL. */
export const WEBHOOK_KEY = sql`(${webhooks.teamId}, ${webhooks.id})`
export const DELIVERY_KEY = sql`(${deliveries.teamId}, ${deliveries.webhookId}, ${deliveries.id})`

/** A condition on a pending delivery: its webhook was not disabled since it was made. */
export const isNotDropped = sql`(${deliveries.createdAt} > ${webhooks.droppedAt})`

/** The state of a delivery of a webhook, also before the sweep has failed its row. */
export const effectiveState = sql`iif(${deliveries.state} = 'pending'
  and not ${isNotDropped}, 'failed', ${deliveries.state})`

export const rows = [
  rowsOf("team", webhooks, {
    kept: ["name", "url", "events", "secret", "previousSecret", "disabledReason"],
  }),
  rowsOf("team", deletedWebhooks),
  rowsOf("team", deliveries, { along: ["attempts"] }),
  rowsOf("team", events, {
    addresses: {
      data: {
        value: sql`${events.data} ->> '$.contact.email'`,
        condition: sql`substr(${events.type}, 1, 8) = 'contact.'`,
      },
    },
    isLarge: true,
  }),
  rowsOf("team", eventSequences),
  rowsOf("installation", keyRotations),
]
